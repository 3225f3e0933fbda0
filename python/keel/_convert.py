"""What callbacks return, as arrays of float64: or a sentence that says what is wrong."""

import numpy as np


def _shape_text(shape):
    return "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def coerce(result, name, shape, band=None, value=False):
    """`result` as a C-contiguous float64 array of `shape`; one row may come as a vector.

    It is what the callback `name` returned or, with `value`, the argument of that name.
    """
    said = f"`{name}` is" if value else f"the callback `{name}` returned"
    if result is None:
        hint = "" if value else ": is a `return` missing?"
        raise TypeError(f"{said} None; expected an array of shape {_shape_text(shape)}{hint}")
    if hasattr(result, "tocsc"):
        result = result.toarray()
    try:
        array = np.asarray(result)
    except (TypeError, ValueError) as wrong:
        raise type(wrong)(f"{said} no array of shape {_shape_text(shape)}: {wrong}") from None
    if array.dtype.kind not in "fiub":
        hint = "; keep the real and the imaginary part as separate unknowns" \
            if array.dtype.kind == "c" else ""
        kind = "a str" if isinstance(result, str) else f"an array of dtype {array.dtype}"
        raise TypeError(f"{said} {kind}; expected float64 of shape {_shape_text(shape)}{hint}")
    wanted = [tuple(shape)]
    if len(shape) == 1 and shape[0] == 1:
        wanted.append(())
    if len(shape) == 2 and shape[0] == 1:
        wanted.append((shape[1],))
    if band is not None:
        wanted.append((band, shape[1]))
    if array.shape not in wanted:
        also = f" (or {_shape_text(wanted[-1])}, by diagonals)" if band is not None else ""
        said = f"`{name}` has the" if value else said
        raise ValueError(f"{said} shape {_shape_text(array.shape)}; expected "
                         f"{_shape_text(shape)}{also}")
    if band is None or array.shape != (band, shape[-1]):
        array = array.reshape(shape)
    return np.ascontiguousarray(array, dtype=np.float64)


def rows_of(result, name):
    """How many rows a callback has whose size nothing else tells: it returns a vector, or a number."""
    try:
        shape = np.shape(result) or (1,)
    except ValueError:                                   # ragged, which `coerce` says
        shape = ("n",)
    array = coerce(result, name, shape)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"the callback `{name}` returned shape {_shape_text(array.shape)}; expected a "
                         "vector, one number for each of its rows")
    return len(array)


def called(fun, name, t, *arguments):
    """A call before there is a solver; an exception gets the note that it would have there."""
    try:
        return fun(t, *arguments)
    except Exception as error:
        if hasattr(error, "add_note"):                   # from Python 3.11 on
            error.add_note(f"in callback `{name}` at t = {t:.10g}, before the first step")
        raise


class Pattern:
    """Where a sparse matrix may be nonzero: sorted columns, 32-bit indices."""

    def __init__(self, matrix):
        csc = matrix.tocsc().copy() if hasattr(matrix, "tocsc") else _dense_to_csc(matrix)
        csc.sum_duplicates()
        csc.sort_indices()
        self.shape = csc.shape
        self.indptr = np.ascontiguousarray(csc.indptr, dtype=np.int32)
        self.indices = np.ascontiguousarray(csc.indices, dtype=np.int32)
        self.count = len(self.indices)
        self.columns = np.repeat(np.arange(csc.shape[1]), np.diff(self.indptr))
        self.keys = self.columns * np.int64(csc.shape[0]) + self.indices
        self._same = None                # index arrays that were found to be those of the pattern

    def __or__(self, other):
        return Pattern(self.matrix() + other.matrix())

    def matrix(self):
        from scipy.sparse import csc_matrix
        return csc_matrix((np.ones(self.count), self.indices, self.indptr), shape=self.shape)

    def core(self):
        return self.indptr, self.indices


def _dense_to_csc(matrix):
    from scipy.sparse import csc_matrix
    return csc_matrix(np.asarray(matrix, dtype=float))


def sparse_values(result, pattern, name):
    """The nonzeros of `result` in the order of the pattern."""
    if not hasattr(result, "tocsc"):
        result = _dense_to_csc(coerce(result, name, pattern.shape))
    if result.shape != pattern.shape:
        raise ValueError(f"the callback `{name}` returned shape {_shape_text(result.shape)}; "
                         f"expected {_shape_text(pattern.shape)}")
    csc = result.tocsc()
    if csc.dtype.kind not in "fiub":
        raise TypeError(f"the callback `{name}` returned a sparse matrix of dtype {csc.dtype}; "
                        "expected float64")
    if pattern._same is not None and csc.indices is pattern._same[0] and \
            csc.indptr is pattern._same[1]:
        return np.ascontiguousarray(csc.data, dtype=np.float64)
    if len(csc.indices) == pattern.count and np.array_equal(csc.indptr, pattern.indptr) and \
            np.array_equal(csc.indices, pattern.indices):
        pattern._same = csc.indices, csc.indptr
        return np.ascontiguousarray(csc.data, dtype=np.float64)
    return _scattered(csc, pattern, name)


def _scattered(csc, pattern, name):
    columns = np.repeat(np.arange(csc.shape[1]), np.diff(csc.indptr))
    keys = columns * np.int64(csc.shape[0]) + csc.indices
    at = np.minimum(np.searchsorted(pattern.keys, keys), max(pattern.count - 1, 0))
    outside = (pattern.keys[at] != keys if pattern.count else np.ones(len(keys), bool)) \
        & (csc.data != 0)
    if outside.any():
        k = int(np.argmax(outside))
        raise ValueError(f"the callback `{name}` has an entry at ({csc.indices[k]}, {columns[k]}), "
                         "where the pattern has none: the pattern is that of `jac_sparsity` or, "
                         "without it, of the first Jacobian")
    values = np.zeros(pattern.count)
    inside = csc.data != 0
    np.add.at(values, at[inside], csc.data[inside])
    return values


def triplets(result, name, shape):
    """Rows, columns (32-bit) and values of a sparse result."""
    if result.shape != tuple(shape):
        raise ValueError(f"the callback `{name}` returned shape {_shape_text(result.shape)}; "
                         f"expected {_shape_text(shape)}")
    coo = result.tocoo()
    return (np.ascontiguousarray(coo.row, dtype=np.int32),
            np.ascontiguousarray(coo.col, dtype=np.int32),
            np.ascontiguousarray(coo.data, dtype=np.float64))

# picture.gp -- called by picture.sh, which sets the terminal, `keel` and `peers`.

set datafile separator ','
set logscale y
set border 3 lw 1 lc rgb '#444444'
set tics nomirror out scale 0.6 textcolor rgb '#333333'
set grid back lt 1 lw 0.6 lc rgb '#e4e4e4'
set ytics ('0.2 M' 2e5, '0.5 M' 5e5, '1 M' 1e6, '2 M' 2e6, '5 M' 5e6, '10 M' 1e7, '20 M' 2e7, '50 M' 5e7, \
           '100 M' 1e8, '200 M' 2e8)
set yrange [2e5:5e7]
set xrange [0:13.5]
set xlabel 'correct digits at the end (scd)'
set multiplot

set style line 1 lw 1.5 pt 9 ps 0.9 lc rgb '#E69F00'
set style line 2 lw 1.5 pt 5 ps 0.8 lc rgb '#D55E00'
set style line 3 lw 1.5 dt 2 pt 4 ps 0.8 lc rgb '#D55E00'
set style line 4 lw 1.5 pt 13 ps 1 lc rgb '#CC79A7'
set style line 5 lw 2 dt 2 pt 6 ps 1 lc rgb '#0072B2'
set style line 6 lw 3 pt 7 ps 1 lc rgb '#0072B2'
set style line 7 lw 3 pt 11 ps 1 lc rgb '#009E73'

# Rows of one code with one problem; awk keeps the shell out of the quoting of gnuplot.
row(file, test) = sprintf("< awk -F, '%s' %s", test, file)
own(problem, method) = row(keel, sprintf('$1 == "%s" && $2 == "%s" && $4 == "ok"', problem, method))
peer(problem, solver, form) = row(peers, \
    sprintf('$1 == "%s" && $3 == "%s" && $2 == "%s" && $5 == "ok" && $11', problem, solver, form))

set lmargin at screen 0.08
set rmargin at screen 0.49
set tmargin at screen 0.78
set bmargin at screen 0.13
set label 1 'Work and precision' at screen 0.08,0.95 font ',17'
subtitle = 'instructions of the whole integration, rtol = atol = 10^{-4}, ..., 10^{-12}' \
         . ' along each line; lower right is better'
set label 2 subtitle at screen 0.08,0.885 textcolor rgb '#666666'
set label 3 'pendulum, t = 0 ... 20' at graph 0.0,1.05 font ',13'
set ylabel 'instructions' offset 1
unset key

problem = 'pendulum'
do for [panel = 1:2] {
    if (panel == 2) {
        problem = 'andrews'
        set lmargin at screen 0.57
        set rmargin at screen 0.98
        unset label 1
        unset label 2
        set label 3 'andrews (seven-body mechanism), t = 0 ... 0.03'
        unset ylabel
        set yrange [1e6:3e9]
        set key at graph 0.03,0.99 left top Left reverse samplen 2 spacing 1.1 \
            textcolor rgb '#333333'
    }
    plot peer(problem, 'IDA', 'index1') using 6:11 with linespoints ls 1 \
             title 'IDA, index 1 (to 10^{-10})', \
         peer(problem, 'RADAU5', 'given') using 6:11 with linespoints ls 2 title 'RADAU5', \
         peer(problem, 'RADAU5-M1', 'given') using 6:11 with linespoints ls 3 \
             title "RADAU5, told q' = v", \
         peer(problem, 'RADAU', 'given') using 6:11 with linespoints ls 4 title 'RADAU', \
         own(problem, 'radau-iia-3') using 5:8 with linespoints ls 5 title 'Keel radau-iia-3', \
         own(problem, 'radau-iia') using 5:8 with linespoints ls 6 title 'Keel radau-iia', \
         own(problem, 'auto') using 5:8 with linespoints ls 7 title 'Keel auto'
}
unset multiplot

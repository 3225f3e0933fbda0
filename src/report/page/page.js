/* Shows `run`:
 *   title, subtitle, choice, failure, time_label
 *   curves    {t: [...], names: [...], units: [...], values: [[...], ...], left_out}
 *   chosen    numbers of the curves that are drawn at first
 *   residuals {t, names, values, title}, steps {t, h}, events [{t, text, restarted}], switch_time
 *   statistics [[name, value], ...], structure, text
 */
"use strict";
const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539", "#6a3d9a",
                "#4d4d4d", "#b2182b"];
const at = id => document.getElementById(id);
const drawn = new Map();             // number of a curve -> its color
const charts = [];

/* Zooming one chart zooms all. */
function zoomAll(source, min, max) {
  for (const chart of charts)
    if (chart !== source && (chart.scales.x.min !== min || chart.scales.x.max !== max))
      chart.setScale("x", {min, max});
}

/* Events, and where the method changed, as vertical lines; many of them only as ticks at the bottom. */
function drawMarks(chart) {
  const {ctx, bbox} = chart, bottom = bbox.top + bbox.height, {min, max} = chart.scales.x;
  const marks = run.events.filter(e => e.t >= min && e.t <= max).map(e => [e.t, "#c0392b"]);
  const top = marks.length > 40 ? bottom - 8 : bbox.top;
  if (run.switch_time !== null) marks.push([run.switch_time, "#0072b2"]);
  ctx.save();
  ctx.setLineDash(marks.length > 40 ? [] : [4, 4]);
  ctx.globalAlpha = 0.5;
  for (const [t, color] of marks) {
    const x = chart.valToPos(t, "x", true);
    ctx.strokeStyle = color;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  ctx.restore();
}

const digits = value => value === null || value === undefined ? "" : Number(value).toPrecision(7).replace(/\.?0+(e|$)/, "$1");
const power = value => value.toExponential(0);

function chart(where, height, series, data, logarithmic) {
  const place = at(where), scales = {x: {time: false}};
  if (logarithmic) scales.y = {distr: 3};
  const made = new uPlot({
    width: place.clientWidth, height, scales, series, pxAlign: 0,
    axes: [{label: run.time_label, labelSize: 22, stroke: "#5b6b7a", grid: {stroke: "#e6ebf0"}},
           {size: 74, stroke: "#5b6b7a", grid: {stroke: "#e6ebf0"},
            values: (u, ticks) => ticks.map(v => v === null ? "" : logarithmic ? power(v) : digits(v))}],
    cursor: {sync: {key: "run", setSeries: false}},
    hooks: {draw: [drawMarks], setScale: [(u, key) => {
      if (key === "x") zoomAll(u, u.scales.x.min, u.scales.x.max);
    }]},
  }, data, place);
  charts.push(made);
  return made;
}

function freeColor() {
  const used = new Set(drawn.values());
  return colors.find(c => !used.has(c)) || colors[drawn.size % colors.length];
}

let trajectories = null;

function drawTrajectories() {
  const numbers = [...drawn.keys()], keep = trajectories && trajectories.scales.x;
  const series = [{label: run.time_label, value: (u, v) => digits(v)}];
  for (const k of numbers) {
    const unit = run.curves.units[k];
    series.push({label: run.curves.names[k] + (unit ? " [" + unit + "]" : ""), stroke: drawn.get(k), width: 1.6,
                 value: (u, v) => digits(v), points: {show: false}});
  }
  if (trajectories) {
    charts.splice(charts.indexOf(trajectories), 1);
    trajectories.destroy();
  }
  const data = [run.curves.t, ...numbers.map(k => run.curves.values[k])];
  if (numbers.length === 0) data.push(run.curves.t.map(() => null)), series.push({label: "-"});
  trajectories = chart("trajectories", 340, series, data, false);
  if (keep && keep.min !== null) trajectories.setScale("x", {min: keep.min, max: keep.max});
}

function listNames() {
  const wanted = at("filter").value.trim().toLowerCase(), list = at("names");
  list.replaceChildren();
  run.curves.names.forEach((name, k) => {
    if (wanted && !name.toLowerCase().includes(wanted)) return;
    const label = document.createElement("label"), box = document.createElement("input");
    const color = document.createElement("i");
    box.type = "checkbox";
    box.checked = drawn.has(k);
    if (drawn.has(k)) color.style.background = drawn.get(k);
    box.onchange = () => {
      if (box.checked) drawn.set(k, freeColor());
      else drawn.delete(k);
      color.style.background = drawn.get(k) || "";
      drawTrajectories();
    };
    label.append(box, color, name);
    list.append(label);
  });
}

function table(id, rows, head) {
  const place = at(id);
  for (const [i, row] of (head ? [head, ...rows] : rows).entries()) {
    const line = document.createElement("tr");
    for (const cell of row) {
      const part = document.createElement(head && i === 0 ? "th" : "td");
      part.textContent = cell;
      line.append(part);
    }
    place.append(line);
  }
}

function texts() {
  at("title").textContent = run.title;
  at("subtitle").textContent = run.subtitle;
  at("choice").textContent = run.choice;
  at("failure").textContent = run.failure || "";
  at("failure").hidden = !run.failure;
  at("structure").textContent = run.structure || "";
  at("structure-part").hidden = !run.structure;
  at("text").textContent = run.text || "";
  at("text-part").hidden = !run.text;
  at("event-part").hidden = run.events.length === 0;
  table("statistics", run.statistics);
  table("events", run.events.slice(0, 500).map(e => [digits(e.t), e.text, e.restarted ? "began anew" : ""]),
        ["t", "event", ""]);
  if (run.curves.left_out > 0) {
    at("left-out").hidden = false;
    at("left-out").textContent = run.curves.left_out + " further variables: choose by --variables";
  }
}

function lines(names) {
  return [{label: run.time_label, value: (u, v) => digits(v)},
          ...names.map((name, k) => ({label: name, stroke: colors[k % colors.length], width: 1.2, spanGaps: true,
                                      value: (u, v) => v === null ? "" : v.toExponential(1), points: {show: false}}))];
}

texts();
for (const k of run.chosen) drawn.set(k, freeColor());
listNames();
at("filter").oninput = listNames;
drawTrajectories();
if (run.residuals.names.length > 0) {
  at("residual-title").textContent = run.residuals.title + " (0 and less than 1e-18 are drawn there)";
  const shown = run.residuals.values.map(row => row.map(v => Math.max(v, 1e-18)));
  chart("residuals", 220, lines(run.residuals.names), [run.residuals.t, ...shown], true);
} else at("residuals").parentElement.querySelectorAll("#residual-title, #residuals").forEach(e => e.hidden = true);
chart("steps", 200, lines(["h"]), [run.steps.t, run.steps.h], true);
window.onresize = () => charts.forEach(c => c.setSize({width: c.root.parentElement.clientWidth, height: c.height}));

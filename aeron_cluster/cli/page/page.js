"use strict";

const LOOK_MS = 1000, LOG_MS = 2000, KEPT = 120;
const WIDTH = 600, HEIGHT = 200, LEFT = 56, BOTTOM = 182, TOP = 8;
const STAGES = {
  log: "ingress to log", recorded: "to recorded", committed: "to committed",
  service: "to service", egress: "to egress", total: "in all",
};
const SVG = "http://www.w3.org/2000/svg";
const samples = [];
const find = (id) => document.getElementById(id);
const integer = (value) => value === null || value < 0 ? "" : value.toLocaleString("en-US");

function duration(ns) {
  for (const [unit, length] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
    if (ns >= length) return `${(ns / length).toPrecision(3)} ${unit}`;
  return `${ns} ns`;
}

// Texts of a cluster are only ever shown as texts.
function row(cells, kind) {
  const line = document.createElement("tr");
  if (kind) line.className = kind;
  for (const [text, style] of cells) {
    const cell = document.createElement("td");
    cell.textContent = text;
    if (style) cell.className = style;
    line.append(cell);
  }
  return line;
}

function fill(id, rows) {
  find(id).querySelector("tbody").replaceChildren(...rows);
}

function member(each) {
  const kind = each.silent_s ? "silent" : each.role === "leader" ? "leader" : "";
  const role = each.silent_s ? `was ${each.role}` : each.role;
  return row([
    [each.id === null ? each.directory : each.id], [role], [each.state, "state"],
    [integer(each.term), "number"], [integer(each.committed), "number"],
    [integer(each.behind), "number"], [integer(Math.round(each.rate)), "number"],
    [integer(each.sessions), "number"], [integer(each.error_count), "number"],
  ], kind);
}

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function draw() {
  const seen = samples.filter((each) => each && each.count);
  const chart = find("chart");
  if (!seen.length) return;
  const low = Math.floor(Math.log10(Math.min(...seen.map((each) => Math.max(each.p50, 100)))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...seen.map((each) => each.max), 1))));
  const y = (ns) => BOTTOM - (Math.log10(Math.max(ns, 10 ** low)) - low) / (high - low) * (BOTTOM - TOP);
  const x = (index) => LEFT + (KEPT - samples.length + index) / (KEPT - 1) * (WIDTH - LEFT - 4);
  const made = [];
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power);
    made.push(element("line", {class: "grid", x1: LEFT, x2: WIDTH, y1: at, y2: at}));
    made.push(element("text", {x: LEFT - 6, y: at + 4, "text-anchor": "end"}, duration(10 ** power)));
  }
  for (const name of ["p50", "p99", "max"]) {
    let path = "", isDown = false;
    samples.forEach((each, index) => {
      if (!each || !each.count) { isDown = false; return; }
      path += `${isDown ? "L" : "M"}${x(index).toFixed(1)} ${y(each[name]).toFixed(1)}`;
      if (!isDown) path += "h0.1";
      isDown = true;
    });
    made.push(element("path", {class: name, d: path}));
  }
  chart.replaceChildren(...made);
}

function showLatency(latency) {
  const names = Object.keys(latency);
  samples.push(latency.total || null);
  if (samples.length > KEPT) samples.shift();
  const isMeasured = names.length > 0 || samples.some(Boolean);
  find("no-latency").hidden = isMeasured;
  find("has-latency").hidden = !isMeasured;
  if (names.length) fill("stages", names.map((name) => row([
    [STAGES[name] || name], [integer(latency[name].count), "number"],
    ...["p50", "p90", "p99", "p99.9", "max"].map(
      (each) => [latency[name].count ? duration(latency[name][each]) : "", "number"]),
  ], name === "total" ? "total" : "")));
  draw();
}

async function get(path) {
  const answer = await fetch(path, {signal: AbortSignal.timeout(10000)});
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

async function look() {
  try {
    const state = await get("/state");
    const leader = state.leader === null ? "no leader" : `member ${state.leader} leads`;
    find("now").textContent = `${state.time}, ${leader}`;
    fill("members", state.members.map(member));
    showLatency(state.latency);
    find("errors").replaceChildren(...state.errors.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  } catch (error) {
    find("now").textContent = `no answer: ${error.message}`;
  }
  setTimeout(look, LOOK_MS);
}

async function lookAtLog() {
  try {
    const log = await get("/log");
    find("log-problem").hidden = !log.problem;
    find("log-problem").textContent = log.problem || "";
    fill("log", log.rows.map((each) => row([
      [integer(each.position), "number"], [each.type], [integer(each.term), "number"],
      [integer(each.session), "number"], [each.time || ""], [integer(each.length), "number"],
      [each.payload, "payload"],
    ], each.committed === false ? "uncommitted" : "")));
  } catch (error) {
    find("log-problem").hidden = false;
    find("log-problem").textContent = `no answer: ${error.message}`;
  }
  setTimeout(lookAtLog, LOG_MS);
}

look();
lookAtLog();

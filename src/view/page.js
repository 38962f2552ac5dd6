// The page of the view: it asks for a frame, draws it, and asks for the next one. A frame (blob.h) is the length of a text, the
// text (JSON), and x, y, z, speed of each body as floats about the text's `origin`, then their types as bytes.
"use strict";

const element = name => document.getElementById(name);
const token = new URLSearchParams(location.search).get("token");
const ask = (path, method = "GET") => fetch(path, {method, headers: {"X-Kyoho-Token": token}, cache: "no-store"});

// What the page knows. Tests read it.
const view = {frames: 0, last: 0, text: null, rows: [], ended: false};

// ---- the camera ----

// `centre` is where the middle of the picture looks, from the frame's origin; `extent` half the height of the picture.
const camera = {turn: 0.5, tilt: 0.3, extent: 0, moved: [0, 0, 0], fixed: [0, 0, 0], found: [0, 0, 0]};

// The rows of a rotation: right, up, and towards the eye.
function axes() {
  const [c, s, d, t] = [Math.cos(camera.turn), Math.sin(camera.turn), Math.cos(camera.tilt), Math.sin(camera.tilt)];
  return [[c, s, 0], [-s * t, c * t, d], [s * d, -c * d, t]];
}

function centre() {
  const from = element("follow").checked ? camera.found : camera.fixed.map((x, k) => x - view.text.origin[k]);
  return from.map((x, k) => x + camera.moved[k]);
}

// About 20,000 of the bodies, for what is measured in each frame.
const few = count => Math.max(1, Math.ceil(count / 20000));

// The mean of the bodies within `radius` of a place, and their number.
function mean_within(bodies, place, radius) {
  const sum = [0, 0, 0];
  let count = 0;
  for (let i = 0, stride = 4 * few(bodies.length / 4); i < bodies.length; i += stride) {
    const x = bodies[i] - place[0], y = bodies[i + 1] - place[1], z = bodies[i + 2] - place[2];
    if (x * x + y * y + z * z > radius * radius) continue;
    sum[0] += bodies[i]; sum[1] += bodies[i + 1]; sum[2] += bodies[i + 2];
    count++;
  }
  return [count ? sum.map(x => x / count) : place, count];
}

// Sorted distances of the bodies from a place.
function distances(bodies, place) {
  const all = [];
  for (let i = 0, stride = 4 * few(bodies.length / 4); i < bodies.length; i += stride)
    all.push(Math.hypot(bodies[i] - place[0], bodies[i + 1] - place[1], bodies[i + 2] - place[2]));
  return all.sort((a, b) => a - b);
}

// The densest place: spheres that shrink about the mean of what is in them.
function densest(bodies) {
  let [place, count] = mean_within(bodies, [0, 0, 0], Infinity);
  const least = Math.max(10, count / 50), radii = distances(bodies, place);
  for (let radius = radii[Math.floor(0.9 * radii.length)]; count > least && radius > 0; radius *= 0.8)
    [place, count] = mean_within(bodies, place, radius);
  return place;
}

// Shows all but the outermost bodies.
function show_whole() {
  camera.moved = [0, 0, 0];
  if (!view.bodies.length) return;
  const radii = distances(view.bodies, centre());
  camera.extent = 1.4 * radii[Math.floor(0.9 * (radii.length - 1))] || 1;
}

// ---- drawing ----

const canvas = element("picture"), gl = canvas.getContext("webgl2", {antialias: false, alpha: false});

const POINTS = `#version 300 es
layout(location=0) in vec4 body;
layout(location=1) in uint type;
uniform mat3 turn;
uniform vec3 centre, colour;
uniform vec2 zoom;
uniform float size, fastest;
uniform int by;
out vec3 shade;
const vec3 kinds[6] = vec3[6](vec3(.35, .6, 1.), vec3(.75, .55, 1.), vec3(1., .62, .3), vec3(1., .85, .45), vec3(.95, .95, .9), vec3(.4, 1., .55));
void main() {
  vec3 x = (body.xyz - centre) * turn;
  gl_Position = vec4(x.xy * zoom, 0., 1.);
  gl_PointSize = size;
  float v = clamp(body.w / fastest, 0., 1.);
  shade = by == 1 ? mix(mix(vec3(.2, .4, 1.), vec3(1., .95, .9), min(2. * v, 1.)), vec3(1., .3, .15), max(2. * v - 1., 0.))
        : by == 2 ? kinds[min(type, 5u)] : colour;
}`;
const DOT = `#version 300 es
precision highp float;
in vec3 shade;
uniform float weight;
out vec4 to;
void main() { to = vec4(shade * weight, 1.); }`;
const WHOLE = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0., 1.); }`;
const TONE = `#version 300 es
precision highp float;
uniform sampler2D counts;
uniform float peak, bright;
out vec4 to;
void main() {
  float v = clamp(log(1. + bright * texelFetch(counts, ivec2(gl_FragCoord.xy), 0).r) / log(1. + peak), 0., 1.);
  to = vec4(min(1., 1.7 * v), v * v * (1.3 - .3 * v), clamp(.9 * sin(3.14 * v) * (1. - v) + v * v * v * v, 0., 1.), 1.);
}`;

function shader(kind, text) {
  const made = gl.createShader(kind);
  gl.shaderSource(made, text);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(made));
  return made;
}

// A program, with the places of its uniforms by their names.
function program(vertices, fragments) {
  const made = gl.createProgram(), place = {};
  gl.attachShader(made, shader(gl.VERTEX_SHADER, vertices));
  gl.attachShader(made, shader(gl.FRAGMENT_SHADER, fragments));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const name = gl.getActiveUniform(made, k).name;
    place[name] = gl.getUniformLocation(made, name);
  }
  return {made, place};
}

const card = {};

function prepare() {
  card.points = program(POINTS, DOT);
  card.tone = program(WHOLE, TONE);
  card.can_count = gl.getExtension("EXT_color_buffer_float") && gl.getExtension("EXT_float_blend");
  card.buffer = gl.createBuffer();
  card.texture = gl.createTexture();
  card.target = gl.createFramebuffer();
  element("show").options[1].disabled = !card.can_count;
}

// The picture has the size of the window. The counts of density are a float texture, which without NEAREST reads as 0.
function fit() {
  const ratio = Math.min(2, devicePixelRatio || 1), [w, h] = [Math.round(innerWidth * ratio), Math.round(innerHeight * ratio)];
  if (card.width === w && card.height === h) return;
  [canvas.width, canvas.height] = [card.width, card.height] = [w, h];
  if (!card.can_count) return;
  gl.deleteTexture(card.texture);
  card.texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, card.texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R32F, w, h);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, card.target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, card.texture, 0);
}

// Gives the bodies of a frame to the card.
function upload() {
  const {bodies, types} = view;
  gl.bindBuffer(gl.ARRAY_BUFFER, card.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, bodies.byteLength + types.byteLength, gl.STREAM_DRAW);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, bodies);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 16, 0);
  if (types.length) {
    gl.bufferSubData(gl.ARRAY_BUFFER, bodies.byteLength, types);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 1, bodies.byteLength);
  } else {
    gl.disableVertexAttribArray(1);
    gl.vertexAttribI4ui(1, 4, 0, 0, 0);
  }
}

// The most bodies in a pixel, about: from cells of many pixels.
function peak_of(bodies, rows, middle, zoom) {
  const side = 48, cells = new Float32Array(side * side), stride = few(bodies.length / 4);
  for (let i = 0; i < bodies.length; i += 4 * stride) {
    const x = [0, 1, 2].map(c => bodies[i + c] - middle[c]);
    const [u, v] = [0, 1].map(k => Math.floor((rows[k][0] * x[0] + rows[k][1] * x[1] + rows[k][2] * x[2]) * zoom[k] * side / 2 + side / 2));
    if (u >= 0 && u < side && v >= 0 && v < side) cells[u * side + v]++;
  }
  return Math.max(1, 4 * stride * cells.reduce((a, b) => Math.max(a, b), 0) * side * side / (card.width * card.height));
}

function draw_points(rows, middle, zoom, density) {
  const {made, place} = card.points, count = view.bodies.length / 4, ratio = card.height / innerHeight;
  const bright = 2 ** element("bright").value;
  gl.useProgram(made);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  gl.uniformMatrix3fv(place.turn, false, rows.flat());
  gl.uniform3fv(place.centre, middle);
  gl.uniform2fv(place.zoom, zoom);
  gl.uniform1f(place.size, density ? 1 : ratio * (count > 5000 ? 1.5 : count > 500 ? 2.5 : 4));
  gl.uniform1f(place.weight, density ? 1 : Math.min(1, bright * Math.min(1, 80 / Math.sqrt(count))));
  gl.uniform1f(place.fastest, view.fastest || 1);
  gl.uniform1i(place.by, density ? 0 : element("colour").selectedIndex);
  gl.uniform3fv(place.colour, density ? [1, 1, 1] : [1, 0.72, 0.42]);
  gl.drawArrays(gl.POINTS, 0, count);
  gl.disable(gl.BLEND);
}

function draw() {
  if (!view.text || !gl) return;
  fit();
  const rows = axes(), middle = centre(), density = card.can_count && element("show").value === "density";
  const zoom = [card.height / card.width / camera.extent, 1 / camera.extent];
  gl.bindFramebuffer(gl.FRAMEBUFFER, density ? card.target : null);
  gl.viewport(0, 0, card.width, card.height);
  gl.clearColor(0, 0, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  draw_points(rows, middle, zoom, density);
  if (density) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(card.tone.made);
    gl.uniform1f(card.tone.place.peak, peak_of(view.bodies, rows, middle, zoom));
    gl.uniform1f(card.tone.place.bright, 2 ** element("bright").value);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  show_scale();
}

// Draws with the next picture of the screen, once for all that has changed.
let is_due = false;
function draw_soon() {
  if (is_due) return;
  is_due = true;
  requestAnimationFrame(() => { is_due = false; draw(); });
}

// The number of pixels of the picture that are not black.
view.lit = () => {
  draw();
  const pixels = new Uint8Array(4 * card.width * card.height);
  gl.readPixels(0, 0, card.width, card.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let count = 0;
  for (let k = 0; k < pixels.length; k += 4) count += pixels[k] + pixels[k + 1] + pixels[k + 2] > 0;
  return count;
};

// ---- texts ----

function number(x, digits = 5) {
  if (x === null) return "-";
  return x && Math.abs(x) < 1e-3 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
}

function duration(seconds) {
  if (seconds === null) return "-";
  const s = Math.round(seconds);
  return s < 100 ? `${s} s` : s < 6000 ? `${Math.round(s / 60)} min` : `${number(s / 3600, 2)} h`;
}

function with_unit(x, unit, digits) {
  return number(x * unit.factor, digits) + (unit.name ? " " + unit.name : "");
}

function show_facts() {
  const t = view.text, some = t.shown < t.bodies ? `, ${t.shown} shown` : "";
  const lines = [t.title, `${t.bodies} bodies${some}`];
  if (t.run && t.end === null) {
    lines.push(`time ${with_unit(t.time, t.time_unit, 6)}`, `step ${t.steps}`);
  } else if (t.run) {
    lines.push(`time ${with_unit(t.time, t.time_unit, 6)} of ${with_unit(t.end, t.time_unit, 6)}`);
    lines.push(`step ${t.steps} of ${t.steps_at_end}, ${number(t.steps_per_s, 3)} steps/s`);
    lines.push(`left ${duration(t.seconds_left)}`);
    lines.push(`dE/E ${t.energy_change === null ? "-" : t.energy_change.toExponential(1)}`);
    lines.push(`${t.snapshots} snapshots`);
  } else {
    lines.push(`time ${with_unit(t.time, t.time_unit, 6)}`);
    lines.push(`snapshot ${t.number} of ${t.snapshots}`);
  }
  element("facts").textContent = lines.join("\n");
  document.title = `${t.title} - Kyoho`;
}

function show_message(text) {
  element("message").textContent = text;
  element("message").hidden = !text;
}

// A bar of 1, 2 or 5 times a power of ten, at most 160 pixels long.
function show_scale() {
  const unit = view.text.length_unit, pixel = 2 * camera.extent / innerHeight * unit.factor;
  const power = 10 ** Math.floor(Math.log10(160 * pixel));
  const length = [5, 2, 1].map(k => k * power).find(x => x <= 160 * pixel);
  element("bar").style.width = `${length / pixel}px`;
  element("length").textContent = number(length, 3) + (unit.name ? " " + unit.name : "");
}

// ---- energies ----

const energies = {bytes: 0, names: null, asked: -Infinity, waits: false, last: Promise.resolve()};

// Adds rows of energy.csv. Past 4,000 every second one is left out.
function add_rows(text) {
  for (const line of text.split("\n")) {
    if (!line || line[0] === "#") continue;
    const cells = line.split(",");
    if (!energies.names) energies.names = cells;
    else view.rows.push(["time", "energy", "de"].map(name => cells[energies.names.indexOf(name)]).map(x => x ? Number(x) : NaN));
  }
  if (view.rows.length > 4000) view.rows = view.rows.filter((row, k) => k % 2 === 0 || k === view.rows.length - 1);
}

// Reads the rows since the last time.
async function read_rows() {
  energies.asked = performance.now();
  for (;;) {
    const answer = await ask(`/energy?from=${energies.bytes}`);
    if (answer.status === 416) { // the file is another one now
      energies.bytes = 0;
      energies.names = null;
      view.rows = [];
      continue;
    }
    const bytes = answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0);
    if (!bytes.byteLength) break;
    energies.bytes += bytes.byteLength;
    add_rows(new TextDecoder().decode(bytes));
  }
  show_energies();
}

// After the last frame watch() asks itself, and then the program ends.
function ask_later() {
  energies.waits = false;
  if (!view.ended) ask_energies(true).catch(() => null);
}

// Asks for rows, one request after the other; without `at_once` at most once a second, and then later.
function ask_energies(at_once) {
  const wait = energies.asked + 1000 - performance.now();
  if (at_once || wait <= 0) {
    energies.last = energies.last.catch(() => null).then(read_rows);
    return energies.last;
  }
  if (!energies.waits) setTimeout(ask_later, wait);
  energies.waits = true;
  return null;
}

// One curve in a part of the canvas, with its range.
function plot(pen, column, name, top, height, width) {
  const rows = view.rows.filter(row => Number.isFinite(row[column]));
  if (!rows.length) return;
  const values = rows.map(row => row[column]), low = Math.min(...values), high = Math.max(...values);
  const begin = view.rows[0][0], end = Math.max(view.rows.at(-1)[0], begin + 1e-300);
  pen.fillText(`${name} ${number(values.at(-1), 6)}`, 6, top + 12);
  pen.textAlign = "right";
  const digits = Math.min(12, 2 + Math.ceil(Math.log10(Math.max(-low, high) / (high - low) + 1))); // as many as tell them apart
  if (high > low) pen.fillText(`${number(low, digits)} to ${number(high, digits)}`, width - 6, top + 12);
  pen.textAlign = "left";
  pen.beginPath();
  rows.forEach((row, k) => {
    const x = 6 + (width - 12) * (row[0] - begin) / (end - begin);
    const y = top + height - 6 - (height - 26) * (high > low ? (row[column] - low) / (high - low) : 0.5);
    if (k) pen.lineTo(x, y);
    else pen.moveTo(x, y);
  });
  pen.stroke();
  if (view.text.run) return;
  const x = 6 + (width - 12) * (view.text.time - begin) / (end - begin); // of the snapshot that is shown
  pen.fillRect(x, top + 18, 1, height - 22);
}

function show_energies() {
  const paper = element("energy"), pen = paper.getContext("2d"), ratio = devicePixelRatio || 1;
  paper.hidden = !view.rows.length;
  if (paper.hidden) return;
  const [width, height] = [340, 170];
  [paper.width, paper.height] = [width * ratio, height * ratio];
  pen.scale(ratio, ratio);
  pen.font = "12px sans-serif";
  pen.fillStyle = "#ccc";
  pen.strokeStyle = "#f0b070";
  plot(pen, 1, "E", 0, height / 2, width);
  plot(pen, 2, "dE/E", height / 2, height / 2, width);
}

// ---- frames ----

function read(bytes) {
  const length = new DataView(bytes).getUint32(0, true);
  const text = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  view.text = text;
  view.bodies = new Float32Array(bytes, 4 + length, 4 * text.shown);
  view.types = new Uint8Array(bytes, 4 + length + 16 * text.shown, text.types ? text.shown : 0);
  view.last = text.number;
}

// The speed above which few bodies are.
function fastest(bodies) {
  const speeds = [];
  for (let i = 3, stride = 4 * few(bodies.length / 4); i < bodies.length; i += stride) speeds.push(bodies[i]);
  return speeds.sort((a, b) => a - b)[Math.floor(0.95 * speeds.length)] || 1;
}

function show_controls() {
  const t = view.text;
  element("of-run").hidden = !t.run;
  element("of-folder").hidden = t.run;
  element("pause").disabled = t.paused || view.ended;
  element("resume").disabled = !t.paused || view.ended;
  for (const name of ["step", "snapshot", "stop"]) element(name).disabled = view.ended;
  element("colour").options[2].disabled = !t.types;
  element("which").max = t.snapshots;
  if (!t.run && folder.wanted === t.number) element("which").value = t.number;
}

function take(bytes) {
  read(bytes);
  view.ended = Boolean(view.text.outcome);
  if (view.bodies.length) {
    camera.found = densest(view.bodies);
    view.fastest = fastest(view.bodies);
    if (!camera.extent) show_whole();
    upload();
  }
  show_facts();
  show_controls();
  show_message(view.text.failure || (view.ended ? `The run has ended: ${view.text.outcome}.` : view.text.paused ? "paused" : ""));
  draw();
  view.frames++;
}

const next_picture = () => new Promise(requestAnimationFrame); // which comes when the page can be seen

async function watch() {
  try {
    while (!view.ended) {
      const answer = await ask(`/frame?from=${folder.wanted ? folder.wanted - 1 : view.last}`);
      if (!answer.ok) throw new Error(await answer.text());
      take(await answer.arrayBuffer());
      await Promise.all([next_picture(), ask_energies(view.ended)]);
      if (!view.text.run) await folder.next();
    }
  } catch (failure) {
    if (view.ended) return; // the program ends after its last frame
    view.ended = true;
    if (view.text) show_controls();
    show_message(failure instanceof TypeError ? "The program has ended, or cannot be reached." : failure.message);
  }
}

// ---- snapshots of a folder ----

const folder = {wanted: 0, plays: false, wake: null};

// Ends when another snapshot is wanted than the one that is shown.
folder.next = async () => {
  if (!folder.wanted) folder.wanted = view.last;
  if (folder.plays) {
    await new Promise(done => setTimeout(done, 60));
    if (folder.wanted === view.last && folder.plays) folder.go(view.last + 1);
  }
  while (folder.wanted === view.last) await new Promise(done => { folder.wake = done; });
};

folder.go = k => {
  const most = view.text.snapshots;
  if (k > most) folder.play(false);
  folder.wanted = Math.max(1, Math.min(most, k));
  element("which").value = folder.wanted;
  if (folder.wake) folder.wake();
};

folder.play = plays => {
  folder.plays = plays;
  element("play").textContent = plays ? "pause" : "play";
  if (plays) folder.go(view.last < view.text.snapshots ? view.last + 1 : 1);
};

// ---- what the user does ----

async function order(name) {
  const answer = await ask("/" + name, "POST").catch(() => null);
  if (!answer || !answer.ok) show_message(answer ? await answer.text() : "The program cannot be reached.");
}

function turn_space() {
  if (!view.text) return;
  if (!view.text.run) folder.play(!folder.plays);
  else if (!view.ended) order(view.text.paused ? "resume" : "pause");
}

// What keys do, and the elements that keep a key for themselves.
const KEYS = {
  " ": [turn_space, "button, select, input"],
  ".": [() => view.text.run && order("step"), "select"],
  "ArrowLeft": [() => view.text.run || folder.go(view.last - 1), "select, input[type=range]"],
  "ArrowRight": [() => view.text.run || folder.go(view.last + 1), "select, input[type=range]"],
};

function drag(event) {
  const scale = 2 * camera.extent / innerHeight, [right, up] = axes();
  if (event.shiftKey || event.buttons & 2)
    camera.moved = camera.moved.map((x, k) => x - scale * (event.movementX * right[k] - event.movementY * up[k]));
  else {
    camera.turn -= 0.008 * event.movementX;
    camera.tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.tilt + 0.008 * event.movementY));
  }
  draw_soon();
}

function listen() {
  for (const name of ["pause", "step", "resume", "snapshot", "stop"]) element(name).onclick = () => order(name);
  element("back").onclick = () => folder.go(view.last - 1);
  element("forward").onclick = () => folder.go(view.last + 1);
  element("play").onclick = turn_space;
  element("which").oninput = () => folder.go(Number(element("which").value));
  for (const name of ["show", "colour", "bright"]) element(name).oninput = draw_soon;
  element("follow").onchange = () => { // what is in the middle stays there
    const was = camera.found.map((x, k) => x + view.text.origin[k]);
    if (!element("follow").checked) camera.fixed = was;
    draw_soon();
  };
  element("whole").onclick = canvas.ondblclick = () => { show_whole(); draw_soon(); };
  canvas.onpointerdown = event => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = event => { if (event.buttons && view.text) drag(event); };
  canvas.oncontextmenu = event => event.preventDefault();
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    camera.extent *= 2 ** (event.deltaY / 300);
    draw_soon();
  }, {passive: false});
  addEventListener("resize", draw_soon);
  addEventListener("keydown", event => {
    const [act, others] = KEYS[event.key] || [];
    if (!act || !view.text || event.target.matches(others)) return;
    event.preventDefault();
    act();
  });
}

if (!gl) show_message("This browser has no WebGL2.");
else {
  prepare();
  listen();
  show_message("waiting for the first picture");
  watch();
}

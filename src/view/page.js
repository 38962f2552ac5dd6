// The page of the view: it asks for a frame, draws it, and asks for the next one. A frame (blob.h) is the length of a text, the
// text (JSON), and x, y, z, speed of each body as floats about the text's `origin`, then their types as bytes.
// One file: the server embeds it in the page, which loads nothing else, and its parts share the state below.
"use strict";

const element = name => document.getElementById(name);
const token = new URLSearchParams(location.search).get("token");
const ask = (path, method = "GET", patience = 0) => fetch(path, {method, headers: {"X-Kyoho-Token": token}, cache: "no-store",
  signal: patience ? AbortSignal.timeout(patience) : null});
const sleep = ms => new Promise(done => setTimeout(done, ms));

// What the page knows. Tests read it.
const view = {frames: 0, last: 0, text: null, rows: [], names: [], ended: false, lost: false};

// ---- settings ----

// They survive a reload, in this tab. At first the camera looks along z, as that of `kyoho draw`.
const camera = {turn: 0, tilt: Math.PI / 2, extent: 0, moved: [0, 0, 0], fixed: [0, 0, 0], found: [0, 0, 0]};
const shown = {hidden: 0, curves: ["de", "virial_ratio"]}; // `hidden`: a bit for each component that is switched off
const INPUTS = ["colour", "bright", "follow", "trails", "speed", "loop", "panel", "curves"];
const state_of = input => input.type === "checkbox" ? "checked" : input.tagName === "DETAILS" ? "open" : "value";

function keep() {
  if (!view.text) return;
  const inputs = INPUTS.map(element).map(input => input[state_of(input)]);
  sessionStorage.setItem(view.text.title, JSON.stringify({camera, shown, inputs, last: view.text.run ? 0 : view.last}));
}

function recall(title) {
  const kept = JSON.parse(sessionStorage.getItem(title));
  if (!kept) return false;
  Object.assign(camera, kept.camera);
  Object.assign(shown, kept.shown);
  INPUTS.map(element).forEach((input, k) => { input[state_of(input)] = kept.inputs[k]; });
  folder.wanted = Math.min(kept.last, view.text.snapshots);
  return true;
}

// ---- the camera ----

// The rows of a rotation: right, up, and towards the eye.
function axes() {
  const [c, s, d, t] = [Math.cos(camera.turn), Math.sin(camera.turn), Math.cos(camera.tilt), Math.sin(camera.tilt)];
  return [[c, s, 0], [-s * t, c * t, d], [s * d, -c * d, t]];
}

// Where the middle of the picture looks, from the frame's origin. `extent` is half the height of the picture.
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

// The value of f(index of a body) that a fraction of the bodies does not exceed.
function quantile(bodies, fraction, f) {
  const all = [];
  for (let i = 0, stride = 4 * few(bodies.length / 4); i < bodies.length; i += stride) all.push(f(i));
  return all.sort((a, b) => a - b)[Math.floor(fraction * (all.length - 1))];
}

// The densest place: spheres that shrink about the mean of what is in them.
function densest(bodies) {
  let [place, count] = mean_within(bodies, [0, 0, 0], Infinity);
  const least = Math.max(10, count / 50);
  const distance = i => Math.hypot(bodies[i] - place[0], bodies[i + 1] - place[1], bodies[i + 2] - place[2]);
  for (let radius = quantile(bodies, 0.9, distance); count > least && radius > 0; radius *= 0.8)
    [place, count] = mean_within(bodies, place, radius);
  return place;
}

// The bounds of 98 % of the bodies along the rows right and up, about a place.
function bounds(place) {
  const bodies = view.bodies;
  return axes().slice(0, 2).map(row => [0.005, 0.995].map(fraction =>
    quantile(bodies, fraction, i => row.reduce((sum, x, c) => sum + x * (bodies[i + c] - place[c]), 0))));
}

// Shows 98 % of the bodies in the largest square of the window, as `kyoho draw` does. Without `follow` they are in its middle. A
// periodic box is shown whole.
function show_whole() {
  camera.moved = [0, 0, 0];
  if (!view.bodies.length) return;
  if (view.text.box && !element("follow").checked) {
    camera.fixed = [0, 1, 2].map(() => view.text.box / 2);
    camera.extent = 0.55 * view.text.box * Math.max(1, innerHeight / innerWidth);
    return;
  }
  const place = camera.found, box = bounds(place), rows = axes(), follows = element("follow").checked;
  const middle = box.map(([low, high]) => follows ? 0 : (low + high) / 2);
  if (!follows) camera.fixed = view.text.origin.map((x, c) => x + place[c] + middle[0] * rows[0][c] + middle[1] * rows[1][c]);
  const reach = Math.max(...box.map(([low, high], k) => Math.max(high - middle[k], middle[k] - low)));
  camera.extent = reach * Math.max(1, innerHeight / innerWidth) || 1;
}

// Follows the densest place if it is about the middle; in a collision it would jump from one system to the other.
function begin_camera() {
  const box = bounds(camera.found), size = Math.max(...box.map(([low, high]) => high - low));
  element("follow").checked = !view.text.box && box.every(([low, high]) => Math.abs(low + high) < 0.3 * size);
  show_whole();
}

// ---- drawing ----
//
// Bodies are round spots, trails lines. Their light is added in floats and then toned: brightness grows with the logarithm of the
// light and nears its limit at the light that only 1 % of the bodies exceed, and the hue stays, so that no centre is burnt out.

const canvas = element("picture"), gl = canvas.getContext("webgl2", {antialias: false, alpha: false});

// The components of `kyoho draw`: GADGET's types.
const KINDS = [["gas", "#46c8ff"], ["halo", "#7d64f5"], ["disk", "#ffbe46"], ["bulge", "#ff553c"], ["stars", "#f0f0e1"], ["black holes", "#5aff78"]];
const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255);

const SHADE = `#version 300 es
precision highp float;
uniform mat3 turn;
uniform vec3 middle, colour, kinds[6]; // kinds: of each component the colour times its weight
uniform vec2 zoom;
uniform float size, fastest, weight;
uniform int by;
uniform uint hidden;
out vec3 shade;
vec3 shade_of(float speed, uint type) {
  float v = clamp(speed / fastest, 0., 1.);
  return weight * (by == 2 ? mix(mix(vec3(.2, .4, 1.), vec3(1., .95, .9), min(2. * v, 1.)), vec3(1., .3, .15), max(2. * v - 1., 0.))
                 : by == 1 ? kinds[min(type, 5u)] : colour);
}
vec4 place_of(vec3 at, uint type) {
  vec3 x = (at - middle) * turn;
  return (hidden >> min(type, 5u) & 1u) == 1u ? vec4(2., 2., 2., 1.) : vec4(x.xy * zoom, 0., 1.);
}
`;
const POINTS = SHADE + `
layout(location=0) in vec4 body;
layout(location=1) in uint type;
void main() {
  gl_Position = place_of(body.xyz, type);
  gl_PointSize = size;
  shade = shade_of(body.w, type);
}`;
// A line from a body's place in one frame to that in the next one. Each frame has an origin. No line crosses half of a box.
const LINES = SHADE + `
layout(location=0) in vec4 body;
layout(location=1) in uint type;
layout(location=2) in vec4 later;
uniform vec3 origins[2];
uniform float box;
void main() {
  vec4 end = gl_VertexID == 0 ? body : later;
  vec3 way = abs(later.xyz + origins[1] - body.xyz - origins[0]);
  bool jumps = box > 0. && max(way.x, max(way.y, way.z)) > .5 * box;
  gl_Position = jumps ? vec4(2., 2., 2., 1.) : place_of(end.xyz + origins[gl_VertexID], type);
  shade = shade_of(end.w, type);
}`;
const SPOT = `#version 300 es
precision highp float;
in vec3 shade;
uniform float size;
out vec4 to;
void main() {
  vec2 x = 2. * gl_PointCoord - 1.;
  float fall = size > 0. ? max(0., 1. - dot(x, x)) : 1.;
  to = vec4(shade * fall * fall, 1.);
}`;
const WHOLE = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0., 1.); }`;
const TONE = `#version 300 es
precision highp float;
uniform sampler2D light;
uniform float peak, bright;
uniform int by;
out vec4 to;
void main() {
  vec3 sum = texelFetch(light, ivec2(gl_FragCoord.xy), 0).rgb;
  float most = max(sum.r, max(sum.g, sum.b)), s = log(1. + 8. * most) / log(1. + 8. * peak);
  float v = 1. - exp(-2. * bright * s);
  vec3 ember = vec3(min(1., 1.9 * v), pow(v, 1.9), clamp(.55 * sin(3.14 * v) * (1. - v) + pow(v, 7.), 0., 1.));
  to = vec4(by == 0 ? ember : sum / max(most, 1e-9) * v, 1.);
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
    place[name.replace("[0]", "")] = gl.getUniformLocation(made, name);
  }
  return {made, place};
}

const card = {past: []}; // `past`: buffers and origins of the last frames, the newest first

function prepare() {
  if (!gl.getExtension("EXT_color_buffer_float")) throw new Error("This browser has no float textures.");
  card.format = gl.getExtension("EXT_float_blend") ? gl.RGBA32F : gl.RGBA16F;
  card.points = program(POINTS, SPOT);
  card.lines = program(LINES, SPOT);
  card.tone = program(WHOLE, TONE);
  card.target = gl.createFramebuffer();
}

// The picture has the size of the window. A float texture reads as 0 without NEAREST.
function fit() {
  const ratio = Math.min(2, devicePixelRatio || 1), [w, h] = [Math.round(innerWidth * ratio), Math.round(innerHeight * ratio)];
  if (card.width === w && card.height === h) return;
  [canvas.width, canvas.height] = [card.width, card.height] = [w, h];
  gl.deleteTexture(card.texture);
  card.texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, card.texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, card.format, w, h);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, card.target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, card.texture, 0);
}

// Gives the bodies of a frame to the card, which keeps frames of 400,000 bodies in all for the trails, at most 60. There is no
// trail back in time, nor where the number of bodies has changed, since their places in the frame may be others.
function upload() {
  const {bodies, types, text} = view, count = bodies.length / 4, most = Math.min(60, Math.max(2, Math.floor(4e5 / count)));
  if (card.past.length && card.past[0].time === text.time) gl.deleteBuffer(card.past.shift().buffer);
  const goes_on = card.past.length && card.past[0].count === count && card.past[0].time < text.time;
  while (card.past.length > (goes_on ? most - 1 : 0)) gl.deleteBuffer(card.past.pop().buffer);
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, bodies.byteLength + types.byteLength, gl.STATIC_DRAW);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, bodies);
  gl.bufferSubData(gl.ARRAY_BUFFER, bodies.byteLength, types);
  card.past.unshift({buffer, count, time: text.time, origin: text.origin, types: types.length > 0});
}

// Attribute `at` is x, y, z and speed of a frame; attribute 1 are its types.
function attach(at, frame, divisor) {
  gl.bindBuffer(gl.ARRAY_BUFFER, frame.buffer);
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 4, gl.FLOAT, false, 16, 0);
  gl.vertexAttribDivisor(at, divisor);
  if (at) return;
  gl.vertexAttribDivisor(1, divisor);
  if (frame.types) {
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 1, 16 * frame.count);
  } else {
    gl.disableVertexAttribArray(1);
    gl.vertexAttribI4ui(1, 1, 0, 0, 0);
  }
}

// The light that 1 % of the bodies exceed, where a body alone has 1: from the bodies in cells of some pixels.
function peak_of(scene) {
  const {bodies, types} = view, stride = few(bodies.length / 4), side = 4 * Math.max(1, card.height / 600);
  const [w, h] = [Math.ceil(card.width / side), Math.ceil(card.height / side)], cells = new Uint32Array(w * h), where = [];
  for (let i = 0; i < bodies.length; i += 4 * stride) {
    if (types.length && shown.hidden >> Math.min(5, types[i / 4]) & 1) continue;
    const x = [0, 1, 2].map(c => bodies[i + c] - scene.middle[c]);
    const [u, v] = [0, 1].map(k => (1 + scene.zoom[k] * (scene.rows[k][0] * x[0] + scene.rows[k][1] * x[1] + scene.rows[k][2] * x[2])) / 2);
    if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
    where.push(Math.floor(v * h) * w + Math.floor(u * w));
    cells[where.at(-1)]++;
  }
  const counts = where.map(cell => cells[cell]).sort((a, b) => a - b);
  const spot = Math.PI / 12 * scene.size ** 2; // pixels of full light that a spot is worth
  return Math.max(1.5, (counts[Math.floor(0.99 * counts.length)] || 0) * stride * spot / side ** 2);
}

// Sets what points and lines have in common.
function begin({made, place}, scene, size, weight) {
  gl.useProgram(made);
  gl.uniformMatrix3fv(place.turn, false, scene.rows.flat());
  gl.uniform3fv(place.middle, scene.middle);
  gl.uniform2fv(place.zoom, scene.zoom);
  gl.uniform1f(place.size, size);
  gl.uniform1f(place.weight, weight);
  gl.uniform1f(place.fastest, view.fastest || 1);
  gl.uniform1i(place.by, scene.by);
  gl.uniform1ui(place.hidden, view.types.length ? shown.hidden : 0);
  gl.uniform3fv(place.kinds, KINDS.flatMap((kind, k) => rgb(kind[1]).map(x => x * (view.weights[k] || 0))));
  gl.uniform3fv(place.colour, scene.by ? [1, 0.72, 0.42] : [1, 1, 1]);
}

function draw_bodies(scene) {
  begin(card.points, scene, scene.size, 1);
  attach(0, card.past[0], 0);
  gl.drawArrays(gl.POINTS, 0, card.past[0].count);
}

// The older a line, the fainter.
function draw_trails(scene) {
  for (let k = 1; k < card.past.length; k++) {
    const [older, later] = [card.past[k], card.past[k - 1]];
    begin(card.lines, scene, 0, 0.5 * (1 - k / card.past.length) ** 2);
    gl.uniform1f(card.lines.place.box, view.text.box);
    gl.uniform3fv(card.lines.place.origins, [older, later].flatMap(frame => frame.origin.map((x, c) => x - view.text.origin[c])));
    attach(0, older, 1);
    attach(2, later, 1);
    gl.drawArraysInstanced(gl.LINES, 0, 2, older.count);
  }
  gl.disableVertexAttribArray(2);
}

// The twelve edges of the box, each from its first to its last corner, as two frames of bodies.
function edges_of(side) {
  return [0, side].map(end => {
    const corners = [0, 1, 2].flatMap(axis => [0, 1, 2, 3].map(k => {
      const x = [0, 0, 0, 0]; // the last is a speed
      x[axis] = end;
      x[(axis + 1) % 3] = side * (k & 1);
      x[(axis + 2) % 3] = side * (k >> 1);
      return x;
    }));
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners.flat()), gl.STATIC_DRAW);
    return {buffer, count: corners.length, types: false};
  });
}

function draw_box(scene) {
  const side = view.text.box;
  if (card.box !== side) [card.box, card.edges] = [side, edges_of(side)];
  begin(card.lines, {...scene, by: 3}, 0, 0.7);
  gl.uniform1ui(card.lines.place.hidden, 0);
  gl.uniform1f(card.lines.place.box, 0);
  gl.uniform3fv(card.lines.place.origins, [0, 1].flatMap(() => view.text.origin.map(x => -x)));
  card.edges.forEach((edge, k) => attach(2 * k, edge, 1));
  gl.drawArraysInstanced(gl.LINES, 0, 2, card.edges[0].count);
  gl.disableVertexAttribArray(2);
}

function draw() {
  if (!view.text || !gl) return;
  fit();
  const ratio = card.height / innerHeight, count = view.bodies.length / 4;
  const scene = {rows: axes(), middle: centre(), zoom: [card.height / card.width / camera.extent, 1 / camera.extent],
                 by: ["density", "component", "speed", "one"].indexOf(element("colour").value),
                 size: ratio * Math.max(2, Math.min(9, 34 * (innerHeight / 800) ** 0.5 / count ** 0.25))};
  gl.bindFramebuffer(gl.FRAMEBUFFER, card.target);
  gl.viewport(0, 0, card.width, card.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  if (count) {
    draw_bodies(scene);
    if (element("trails").checked) draw_trails(scene);
    if (view.text.box) draw_box(scene);
  }
  gl.disable(gl.BLEND);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.useProgram(card.tone.made);
  gl.uniform1f(card.tone.place.peak, peak_of(scene));
  gl.uniform1f(card.tone.place.bright, 2 ** (element("bright").value / 2));
  gl.uniform1i(card.tone.place.by, scene.by);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  show_scale();
}

// Draws with the next picture of the screen, once for all that has changed.
let is_due = false;
function draw_soon() {
  if (is_due) return;
  is_due = true;
  requestAnimationFrame(() => { is_due = false; draw(); });
}

// The pixels of the picture, for tests: how many are not dark, and how many have a channel at its end.
view.lit = () => {
  draw();
  const pixels = new Uint8Array(4 * card.width * card.height), count = {lit: 0, burnt: 0};
  gl.readPixels(0, 0, card.width, card.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  for (let k = 0; k < pixels.length; k += 4) {
    count.lit += pixels[k] + pixels[k + 1] + pixels[k + 2] > 0;
    count.burnt += Math.min(pixels[k], pixels[k + 1], pixels[k + 2]) > 250;
  }
  return count;
};

// ---- texts ----

function number(x, digits = 5) {
  if (x === null || !Number.isFinite(x)) return "-";
  return x && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e7) ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
}

function duration(seconds) {
  if (seconds === null) return "-";
  const s = Math.round(seconds);
  return s < 100 ? `${s} s` : s < 6000 ? `${Math.round(s / 60)} min` : `${number(s / 3600, 2)} h`;
}

function with_unit(x, unit, digits) {
  return number(x * unit.factor, digits) + (unit.name ? " " + unit.name : "");
}

// The time, or of comoving bodies the redshift.
function clock(t, digits) {
  const z = 1 / t.time - 1;
  return t.comoving ? `z = ${z < 1e-9 ? 0 : number(z, digits)}` : `t = ${with_unit(t.time, t.time_unit, digits)}`;
}

function show_facts() {
  const t = view.text, some = t.shown < t.bodies ? `, ${t.shown} shown` : "";
  const lines = [t.title, `${t.bodies} ${t.bodies === 1 ? "body" : "bodies"}${some}`];
  const time = t.comoving ? `${clock(t, 4)}, a = ${number(t.time, 6)}` : `time ${with_unit(t.time, t.time_unit, 6)}`;
  if (t.box) lines.push(`box ${with_unit(t.box, t.length_unit, 6)}`);
  if (t.run && t.end === null) {
    lines.push(time, `step ${t.steps}`);
  } else if (t.run) {
    lines.push(t.comoving ? `${time} of ${number(t.end, 6)}` : `${time} of ${with_unit(t.end, t.time_unit, 6)}`);
    lines.push(`step ${t.steps} of ${t.steps_at_end}, ${number(t.steps_per_s, 3)} steps/s`);
    lines.push(`left ${duration(t.seconds_left)}`);
    lines.push(`dE/E ${t.energy_change === null ? "-" : t.energy_change.toExponential(1)}`);
    lines.push(`${t.snapshots} snapshots`);
  } else {
    lines.push(time);
    if (t.snapshots > 1) lines.push(`snapshot ${t.number} of ${t.snapshots}`);
  }
  element("facts").textContent = lines.join("\n");
  document.title = `${t.title} - Kyoho`;
}

function show_message(text) {
  element("message").textContent = text;
  element("message").hidden = !text;
}

// What the last frame has to say.
function show_news() {
  const t = view.text;
  show_message(view.lost ? "The program has ended or cannot be reached. The page tries again." : !t ? ""
    : t.failure || (t.outcome ? `The run has ended: ${t.outcome}.` : t.paused ? "paused" : ""));
}

// The server answers, or it does not.
function set_lost(lost) {
  if (view.lost === lost) return;
  view.lost = lost;
  show_news();
  if (view.text) show_controls();
}

// A bar of 1, 2 or 5 times a power of ten, at most 160 pixels long.
function scale_bar() {
  const unit = view.text.length_unit, pixel = 2 * camera.extent / innerHeight * unit.factor;
  const most = Math.min(160, innerWidth / 4) * pixel, power = 10 ** Math.floor(Math.log10(most));
  const length = [5, 2, 1].map(k => k * power).find(x => x <= most);
  return {pixels: length / pixel, text: number(length, 3) + (unit.name ? " " + unit.name : "")};
}

function show_scale() {
  const {pixels, text} = scale_bar();
  element("bar").style.width = `${pixels}px`;
  element("length").textContent = text;
}

// Weighs the components, so that many bodies of one do not hide few of another.
function weigh() {
  const counts = new Array(6).fill(0);
  for (const type of view.types) counts[Math.min(type, 5)]++;
  view.weights = counts.map(count => count && Math.min(8, Math.sqrt(Math.max(...counts) / count)));
}

// The components that occur, each with a switch.
function show_legend() {
  const present = [0, 1, 2, 3, 4, 5].filter(k => view.weights[k]), old = element("legend").dataset.present;
  element("legend").hidden = present.length < 2;
  if (old === present.join()) return;
  element("legend").dataset.present = present.join();
  element("legend").replaceChildren(...present.map(k => {
    const button = document.createElement("button"), spot = document.createElement("i");
    spot.style.background = KINDS[k][1];
    button.id = `kind-${k}`;
    button.append(spot, KINDS[k][0]);
    button.setAttribute("aria-pressed", !(shown.hidden >> k & 1));
    button.onclick = () => toggle_kind(k);
    return button;
  }));
}

function toggle_kind(k) {
  const button = element(`kind-${k}`);
  if (!button) return;
  shown.hidden ^= 1 << k;
  button.setAttribute("aria-pressed", !(shown.hidden >> k & 1));
  draw_soon();
}

// ---- curves: the columns of energy.csv ----

const table = {bytes: 0, asked: -Infinity, waits: false, last: Promise.resolve()};
const WORDS = {energy: "energy", de: "dE/E", dew: "dE/W", virial_ratio: "virial ratio", half_mass_radius: "half-mass radius"};
const column_words = name => WORDS[name] || name.replaceAll("_", " ");

// Adds rows. Past 4,000 every second one is left out.
function add_rows(text) {
  for (const line of text.split("\n")) {
    if (!line || line[0] === "#") continue;
    const cells = line.split(",");
    if (view.names.length) view.rows.push(cells.map(x => x ? Number(x) : NaN));
    else view.names = cells;
  }
  if (view.rows.length > 4000) view.rows = view.rows.filter((row, k) => k % 2 === 0 || k === view.rows.length - 1);
}

// Reads the rows since the last time. The answer also tells that the server is there.
async function read_rows() {
  table.asked = performance.now();
  for (;;) {
    const answer = await ask(`/energy?from=${table.bytes}`, "GET", 10000);
    set_lost(false);
    if (answer.status === 416) { // the file is another one now
      Object.assign(view, {rows: [], names: []});
      table.bytes = 0;
      continue;
    }
    const bytes = answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0);
    if (!bytes.byteLength) break;
    table.bytes += bytes.byteLength;
    add_rows(new TextDecoder().decode(bytes));
  }
  show_curves();
}

// After the last frame watch() asks itself, and then the program ends.
function ask_later() {
  table.waits = false;
  if (!view.ended) ask_rows(true).catch(() => null);
}

// Asks for rows, one request after the other; without `at_once` at most once a second, and then later.
function ask_rows(at_once) {
  const wait = table.asked + 1000 - performance.now();
  if (at_once || wait <= 0) {
    table.last = table.last.catch(() => null).then(read_rows);
    return table.last;
  }
  if (!table.waits) setTimeout(ask_later, wait);
  table.waits = true;
  return null;
}

// Now and then the page asks whether the server is there, unless nobody sees the page.
async function ask_pulse() {
  if (!document.hidden && !view.ended && view.text) await ask_rows(true).catch(() => set_lost(!view.ended));
  setTimeout(ask_pulse, 3000);
}

// One curve in its canvas, over the time.
function plot(paper, column) {
  const rows = view.rows.filter(row => Number.isFinite(row[column])), ratio = devicePixelRatio || 1;
  const [width, height] = [paper.clientWidth, paper.clientHeight], pen = paper.getContext("2d");
  [paper.width, paper.height] = [width * ratio, height * ratio];
  if (!rows.length) return "no values";
  pen.scale(ratio, ratio);
  pen.font = "11px system-ui, sans-serif";
  const values = rows.map(row => row[column]), low = Math.min(...values), high = Math.max(...values);
  const begin = view.rows[0][0], end = Math.max(view.rows.at(-1)[0], begin + 1e-300);
  const x_of = time => 62 + (width - 66) * (time - begin) / (end - begin);
  const y_of = value => height - 4 - (height - 8) * (high > low ? (value - low) / (high - low) : 0.5);
  pen.strokeStyle = "#3a3735";
  pen.strokeRect(58.5, 0.5, width - 59, height - 1);
  pen.strokeStyle = "#ffb054";
  pen.lineWidth = 1.5;
  pen.beginPath();
  rows.forEach(row => pen.lineTo(x_of(row[0]), y_of(row[column])));
  pen.stroke();
  pen.fillStyle = "#8f8b86";
  pen.textAlign = "right";
  const digits = Math.min(8, 2 + Math.ceil(Math.log10(Math.max(-low, high) / (high - low) + 1))); // as many as tell them apart
  if (high > low) {
    pen.fillText(number(high, digits), 54, 10);
    pen.fillText(number(low, digits), 54, height - 1);
  }
  const at = view.text.run ? rows.at(-1) : rows.findLast(row => row[0] <= view.text.time) || rows[0];
  pen.fillStyle = "#fff";
  pen.beginPath();
  pen.arc(x_of(at[0]), y_of(at[column]), 3, 0, 7);
  pen.fill();
  return number(at[column], 5);
}

// The columns that a curve can have: all but the first two, and those without values.
function offer_columns(select, k) {
  const names = view.names.filter((name, c) => c > 1 && name !== "wall_s" && view.rows.some(row => Number.isFinite(row[c])));
  if (select.dataset.names !== names.join()) {
    select.dataset.names = names.join();
    select.replaceChildren(...names.map(name => new Option(column_words(name), name)));
  }
  select.value = names.includes(shown.curves[k]) ? shown.curves[k] : names[0];
}

function show_curves() {
  const curves = element("curves");
  curves.hidden = !view.rows.length || !view.text;
  if (curves.hidden || !curves.open) return;
  curves.querySelectorAll("select").forEach((select, k) => {
    offer_columns(select, k);
    curves.querySelectorAll("output")[k].textContent = plot(curves.querySelectorAll("canvas")[k], view.names.indexOf(select.value));
  });
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

function show_controls() {
  const t = view.text, shut = view.ended || view.lost;
  element("of-run").hidden = !t.run;
  element("of-folder").hidden = t.run || t.snapshots < 2;
  element("pause").disabled = t.paused || shut;
  element("resume").disabled = !t.paused || shut;
  for (const name of ["step", "snapshot", "stop"]) element(name).disabled = shut;
  element("colour").options[1].disabled = !t.types;
  element("which").max = t.snapshots;
  if (!t.run && folder.wanted === t.number) element("which").value = t.number;
}

// Several components are told apart; many bodies of one kind are a density.
function begin_settings() {
  if (innerWidth <= 640) element("panel").open = element("curves").open = false;
  if (recall(view.text.title)) return;
  const several = view.types.some(type => type !== view.types[0]);
  element("colour").value = several ? "component" : view.text.shown > 10000 ? "density" : "one";
}

function take(bytes) {
  const is_first = !view.text;
  read(bytes);
  view.ended = Boolean(view.text.outcome);
  if (is_first) begin_settings();
  if (view.bodies.length) {
    camera.found = densest(view.bodies);
    view.fastest = quantile(view.bodies, 0.95, i => view.bodies[i + 3]);
    if (!camera.extent) begin_camera();
    upload();
  }
  weigh();
  show_facts();
  show_controls();
  show_legend();
  show_news();
  show_curves();
  draw();
  view.frames++;
}

const next_picture = () => new Promise(requestAnimationFrame); // which comes when the page can be seen

async function next_frame() {
  const answer = await ask(`/frame?from=${folder.wanted ? folder.wanted - 1 : view.last}`);
  if (!answer.ok) throw new Error(await answer.text());
  const bytes = await answer.arrayBuffer();
  set_lost(false);
  take(bytes);
  if (!view.text.run && folder.wanted && folder.wanted !== view.last) return;
  await Promise.all([next_picture(), ask_rows(view.ended)]);
  if (!view.text.run) await folder.next();
}

// A server that does not answer is asked again; one that refuses is not.
async function watch() {
  while (!view.ended) {
    try {
      await next_frame();
    } catch (failure) {
      if (view.ended) return; // the program ends after its last frame
      if (!(failure instanceof TypeError || failure instanceof DOMException)) {
        view.ended = true;
        show_message(failure.message);
        if (view.text) show_controls();
        return;
      }
      set_lost(true);
      await sleep(2000);
    }
  }
}

// ---- snapshots of a folder ----

const folder = {wanted: 0, plays: false, wake: null};

// Ends when another snapshot is wanted than the one that is shown.
folder.next = async () => {
  if (!folder.wanted) folder.wanted = view.last;
  if (folder.plays) {
    await sleep(1000 / element("speed").value);
    if (folder.wanted === view.last && folder.plays) folder.go(view.last + 1);
  }
  while (folder.wanted === view.last) await new Promise(done => { folder.wake = done; });
};

folder.go = k => {
  const most = view.text.snapshots;
  if (k > most && folder.plays && element("loop").checked) k = 1;
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

function pause_or_play() {
  if (!view.text.run) folder.play(!folder.plays);
  else if (!view.ended) order(view.text.paused ? "resume" : "pause");
}

// Looks along an axis.
function look(turn, tilt) {
  Object.assign(camera, {turn, tilt});
  draw_soon();
}

function full_screen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => show_message("The browser allows no full screen here."));
}

// A PNG of the bodies with their time and scale, as a download.
async function save_picture() {
  draw();
  const paper = document.createElement("canvas"), pen = paper.getContext("2d"), t = view.text, {pixels, text} = scale_bar();
  [paper.width, paper.height] = [card.width, card.height];
  pen.drawImage(canvas, 0, 0);
  const ratio = card.height / innerHeight, [right, bottom] = [innerWidth - 16, innerHeight - 16];
  pen.scale(ratio, ratio);
  pen.font = "15px system-ui, sans-serif";
  pen.fillStyle = "#d8d5d0";
  pen.fillText(clock(t, 5), 16, 28);
  pen.fillRect(right - pixels, bottom, pixels, 2);
  pen.textAlign = "center";
  pen.fillText(text, right - pixels / 2, bottom - 8);
  const blob = await new Promise(done => paper.toBlob(done)), link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${t.title.split("/").at(-1)}-${number(t.comoving ? t.time : t.time * t.time_unit.factor, 6)}.png`;
  link.click();
  URL.revokeObjectURL(link.href);
  view.saved = {name: link.download, bytes: blob.size};
}

function brighten(by) {
  element("bright").value = Number(element("bright").value) + by;
  draw_soon();
}

function click(name) {
  element(name).click();
}

function next_colour() {
  const options = [...element("colour").options].filter(option => !option.disabled);
  element("colour").value = options[(options.findIndex(option => option.selected) + 1) % options.length].value;
  draw_soon();
}

// What keys do, the elements that keep a key for themselves, and the words of the help.
const KEYS = [
  [[" "], pause_or_play, "button, select, input, summary", "space", "pause, resume; play"],
  [["."], () => view.text.run && order("step"), "select", ".", "one step"],
  [["ArrowLeft"], () => view.text.run || folder.go(view.last - 1), "select, input[type=range]", "← →", "snapshot before, after"],
  [["ArrowRight"], () => view.text.run || folder.go(view.last + 1), "select, input[type=range]"],
  [["Home"], () => view.text.run || folder.go(1), "select, input[type=range]", "Home End", "first, last snapshot"],
  [["End"], () => view.text.run || folder.go(view.text.snapshots), "select, input[type=range]"],
  [["l"], () => click("loop"), "select", "l", "play in a loop"],
  [["c"], next_colour, "select", "c", "next colours"],
  [["0", "1", "2", "3", "4", "5"], key => toggle_kind(Number(key)), "select", "0 … 5", "a component on, off (GADGET's types)"],
  [["+", "="], () => brighten(0.5), "select", "+ −", "brighter, darker"],
  [["-"], () => brighten(-0.5), "select"],
  [["t"], () => click("trails"), "select", "t", "trails"],
  [["x"], () => look(Math.PI / 2, 0), "select", "x y z", "look along an axis"],
  [["y"], () => look(0, 0), "select"],
  [["z"], () => look(0, Math.PI / 2), "select"],
  [["w"], () => click("whole"), "select", "w", "nearly all bodies"],
  [["s"], save_picture, "select", "s", "save the picture"],
  [["f"], full_screen, "select", "f", "full screen"],
  [["?"], () => element("keys").showModal(), "select", "?", "this list"],
];

function write_help() {
  const rows = [["drag", "turn"], ["shift and drag", "move"], ["wheel, two fingers", "zoom"], ...KEYS.filter(key => key[3]).map(key => key.slice(3))];
  for (const [key, words] of rows) {
    const row = element("keys").querySelector("table").insertRow();
    row.insertCell().textContent = key;
    row.insertCell().textContent = words;
  }
}

const fingers = new Map(); // places of the pointers that are down

function drag(event) {
  const before = fingers.get(event.pointerId), [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
  const spread = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  const scale = 2 * camera.extent / innerHeight, [right, up] = axes(), was = fingers.size === 2 ? spread() : 0;
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (was)
    camera.extent *= was / Math.max(1, spread());
  else if (event.shiftKey || event.buttons & 2)
    camera.moved = camera.moved.map((x, k) => x - scale * (dx * right[k] - dy * up[k]));
  else {
    camera.turn -= 0.008 * dx;
    camera.tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.tilt + 0.008 * dy));
  }
  draw_soon();
}

function listen_to_mouse() {
  canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  };
  canvas.onpointermove = event => { if (fingers.has(event.pointerId) && view.text) drag(event); };
  canvas.onpointerup = canvas.onpointercancel = event => fingers.delete(event.pointerId);
  canvas.oncontextmenu = event => event.preventDefault();
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    camera.extent *= 2 ** (event.deltaY / 300);
    draw_soon();
  }, {passive: false});
}

function listen_to_buttons() {
  for (const name of ["pause", "step", "resume", "snapshot", "stop"]) element(name).onclick = () => order(name);
  element("back").onclick = () => folder.go(view.last - 1);
  element("forward").onclick = () => folder.go(view.last + 1);
  element("play").onclick = pause_or_play;
  element("which").oninput = () => folder.go(Number(element("which").value));
  for (const name of ["colour", "bright", "trails"]) element(name).oninput = draw_soon;
  element("follow").onchange = () => { // what is in the middle stays there
    const was = camera.found.map((x, k) => x + view.text.origin[k]);
    if (!element("follow").checked) camera.fixed = was;
    draw_soon();
  };
  element("whole").onclick = canvas.ondblclick = () => { show_whole(); draw_soon(); };
  element("save").onclick = save_picture;
  element("full").onclick = full_screen;
  element("help").onclick = () => element("keys").showModal();
  element("curves").ontoggle = show_curves;
  element("curves").querySelectorAll("select").forEach((select, k) => {
    select.oninput = () => { shown.curves[k] = select.value; show_curves(); };
  });
}

function listen() {
  listen_to_mouse();
  listen_to_buttons();
  addEventListener("resize", () => { draw_soon(); show_curves(); });
  addEventListener("pagehide", keep);
  addEventListener("keydown", event => {
    const [, act, others] = KEYS.find(key => key[0].includes(event.key)) || [];
    if (!act || !view.text || event.ctrlKey || event.metaKey || event.altKey || event.target.matches(others)) return;
    event.preventDefault();
    act(event.key);
  });
}

function start() {
  try {
    if (!gl) throw new Error("This browser has no WebGL2.");
    prepare();
  } catch (failure) {
    show_message(failure.message);
    return;
  }
  write_help();
  listen();
  show_message("waiting for the first picture");
  watch();
  ask_pulse();
}
start();

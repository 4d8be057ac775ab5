// Elements made by hand. Texts are only ever set as texts, so that nothing from a spec is taken for markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// A formula as the page draws it, from the short form of MathML; see generator/render/site/compact.py.
const MATH = "http://www.w3.org/1998/Math/MathML";
const PAIRS = { "^": "msup", _: "msub", "/": "mfrac" };
const LISTS = { $: "msqrt", "%": "mtable", "!": "mtr", "?": "mtd" };
const SIGNS = { "*": "\u2062", ".": "\u2061", "-": "\u2212", ":": "\u22c5" };
const QUOTES = { "`": "mi", "|": "mo", "~": "mtext" };

function math(text) {
  let at = 0;
  const leaf = (tag, content) => {
    const node = document.createElementNS(MATH, tag);
    node.textContent = content;
    return node;
  };
  const list = (tag, end) => {
    const node = document.createElementNS(MATH, tag);
    while (at < text.length && text[at] !== end) node.append(next());
    at += 1;
    return node;
  };
  function next() {
    const sign = text[at];
    if (/\d/.test(sign)) {
      const digits = /^\d+;?/.exec(text.slice(at))[0];
      at += digits.length;
      return leaf("mn", digits.replace(";", ""));
    }
    at += 1;
    if (Object.hasOwn(PAIRS, sign)) {
      const node = document.createElementNS(MATH, PAIRS[sign]);
      node.append(next(), next());
      return node;
    }
    if (Object.hasOwn(QUOTES, sign)) {
      const end = text.indexOf(sign, at);
      const content = text.slice(at, end);
      at = end + 1;
      return leaf(QUOTES[sign], content);
    }
    if (sign === "[") return list("mrow", "]");
    if (Object.hasOwn(LISTS, sign)) {
      at += 1;
      return list(LISTS[sign], "]");
    }
    return /\p{L}/u.test(sign) ? leaf("mi", sign) : leaf("mo", Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : sign);
  }
  return list("math");
}

function drawn(place) {
  return place >= 0 && model.drawn[place] ? math(model.drawn[place]) : null;
}

// A text in which words between backticks are code.
function rich(text) {
  return text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? el("code", {}, part) : part));
}

function replace(node, ...children) {
  node.replaceChildren(...children.filter((child) => child !== null));
}

// A text of the page in its language, with its places filled in.
let language = "en";
function say(key, values = {}) {
  const text = common.texts[language][key];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
}

const isLanguage = (text) => common.languages.some(([lang]) => lang === text);
const knows = (lang) => Object.hasOwn(common.texts, lang);

// Load the texts of a language; those of English are there.
async function learn(lang) {
  if (knows(lang)) return;
  await loadScript(`${lang}.js`);
  if (!knows(lang)) common.texts[lang] = common.texts.en; // where its file is missing
}

// The language that an address asks for.
function languageAsked(hash) {
  const [, asked] = hash.split("&").slice(1).map(readPart).find(([key]) => key === "l") ?? [];
  return isLanguage(asked) ? asked : "en";
}

// A text of a spec in the language of the page, as a table of pairs has it; itself where that is not known.
const dictionaries = new WeakMap();
function told(text, table = model.said) {
  const pairs = table[language];
  if (!pairs) return text;
  if (!dictionaries.has(pairs)) dictionaries.set(pairs, new Map(pairs));
  return dictionaries.get(pairs).get(text) ?? text;
}

// The heading of a page, which its file has in English.
function headed(title, description) {
  document.title = title;
  document.querySelector("header h1").textContent = title;
  document.querySelector("header h1 + p").textContent = description;
  const home = document.querySelector("header a");
  if (home) home.textContent = say("all_architectures");
}

function languageButtons(speak) {
  return el("p", { class: "languages" }, ...common.languages.map(([lang, name]) =>
    el("button", { type: "button", "aria-pressed": String(lang === language), lang, onclick: () => speak(lang) }, name)));
}

function option(value, text, chosen) {
  return el("option", { value, selected: value === chosen }, text);
}

function field(label, control, ...more) {
  return el("label", { class: "field" }, el("span", { class: "label" }, label), control, ...more);
}

function table(heads, rows, caption = null) {
  const head = el("tr", {}, ...heads.map(([text, kind]) => el("th", { scope: "col", class: kind || null }, text)));
  const body = rows.map((cells) => el("tr", {}, ...cells.map((cell, index) => el("td", { class: heads[index][1] || null }, cell ?? ""))));
  const title = caption === null ? null : el("caption", {}, caption);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption || heads.map(([text]) => text).join(", ") },
    el("table", {}, ...(title ? [title] : []), el("thead", {}, head), el("tbody", {}, ...body)));
}

const measureWords = (key) => common.measures[measureIndex(key)][3][language]; // [title, short, meaning]
const measureUnit = (key) => common.measures[measureIndex(key)][1];
const known = (value, shown) => (value === null ? say("unknown") : shown(value));

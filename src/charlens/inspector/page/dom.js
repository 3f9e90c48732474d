// Elements and their contents. Content of files is only inserted as text nodes.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `on…` are listeners, `class` and the rest are attributes; null and false are left out. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Make an element of SVG. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replace the content of `element` by `children`. */
export function put(element, ...children) {
  element.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Make a button. */
export function button(words, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, words);
}

/** Make a select with options, each `[value, words]`; `onchange` gets the value. */
export function choice(label, options, value, onchange) {
  const list = make(
    "select",
    { onchange: () => onchange(list.value) },
    options.map(([key, words]) => make("option", { value: key, selected: key === value }, words)),
  );
  return make("label", { class: "field" }, make("span", {}, label), list);
}

/** Make a checkbox; `onchange` gets whether it is checked. */
export function checkbox(words, checked, onchange) {
  const box = make("input", { type: "checkbox", checked, onchange: () => onchange(box.checked) });
  return make("label", { class: "check" }, box, make("span", {}, words));
}

/** Make a section with a heading that a screen reader finds. */
export function card(title, attributes, ...children) {
  const heading = make("h2", {}, title);
  return make("section", { ...attributes, class: `card ${attributes.class ?? ""}`.trim() }, heading, ...children);
}

/** Make spans of runs, each `[kind, text]`. */
export function runs(parts) {
  return parts.map(([kind, text]) => (kind ? make("span", { class: `is-${kind}` }, text) : text));
}

/** Make a block of code with a button that copies it. */
export function copyable(code, label) {
  const copy = button(
    "Copy",
    async () => {
      await navigator.clipboard.writeText(code);
      put(copy, "Copied");
      setTimeout(() => put(copy, "Copy"), 1500);
    },
    { class: "small", "aria-label": `Copy ${label}` },
  );
  return make("div", { class: "code" }, make("pre", { tabindex: "0", "aria-label": label }, code), copy);
}

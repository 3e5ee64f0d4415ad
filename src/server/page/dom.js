// Creates elements from text, never from HTML, so that no input is parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Creates an HTML element; attributes such as `onclick` are listeners. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Returns the element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Replaces the options of a select box; keeps the selection if it is still among them. */
export function setOptions(select, options) {
  const kept = select.value;
  select.replaceChildren(...options);
  if ([...select.options].some((option) => option.value === kept)) select.value = kept;
}

/** Announces a text to screen readers. */
export function announce(text) {
  byId('announcer').textContent = text;
}

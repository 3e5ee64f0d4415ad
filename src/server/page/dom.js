// Making elements, so that no text of the outside world is ever read as HTML.

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

/** An HTML element; attributes `onclick` and the like are listeners. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Options of a select box; keeps what is selected where that is still among them. */
export function setOptions(select, options) {
  const kept = select.value;
  select.replaceChildren(...options);
  if ([...select.options].some((option) => option.value === kept)) select.value = kept;
}

/** Says something to those who listen to the page instead of looking at it. */
export function announce(text) {
  byId('announcer').textContent = text;
}

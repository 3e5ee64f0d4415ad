// The form with the options of the rules: a select where the server lists the choices of an option,
// with what each of them means, otherwise a field.

import { byId, element } from './dom.js';

/** Returns `{key, text, choices}` for each option; `text` and `choices` are null if not told. */
function optionsOf(game, rules) {
  const told = new Map((game.options ?? []).map((option) => [option.name, option]));
  return Object.keys(rules).map((key) => {
    const { text = null, choices = null } = told.get(key) ?? {};
    return { key, text, choices: choices?.length > 0 ? choices : null };
  });
}

function selectOf({ key, choices }, value) {
  const select = element('select', { name: key });
  const known = choices.some((choice) => choice.value === value);
  for (const choice of known ? choices : [...choices, { value, text: String(value) }]) {
    const option = element('option', { value: JSON.stringify(choice.value) }, choice.text);
    select.append(option);
  }
  select.value = JSON.stringify(value);
  return select;
}

function inputOf({ key }, value) {
  const type = typeof value === 'number' ? 'number' : 'text';
  return element('input', { name: key, type, value, autocomplete: 'off' });
}

function typed(field) {
  if (field.matches('select')) return JSON.parse(field.value);
  return field.type === 'number' ? Number(field.value) : field.value.trim();
}

/** Shows the options of a game with their values. */
export function showRuleOptions(game, rules) {
  byId('rules-fields').replaceChildren(
    ...optionsOf(game, rules).map((option) => {
      const { key, text, choices } = option;
      const field = choices ? selectOf(option, rules[key]) : inputOf(option, rules[key]);
      if (!text) return element('div', {}, element('label', {}, named(key), ' ', field));
      field.setAttribute('aria-describedby', `rule-${key}`);
      const about = element('p', { class: 'about', id: `rule-${key}` }, text);
      return element('div', {}, element('label', {}, named(key), ' ', field), about);
    }),
  );
}

function named(key) {
  return key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');
}

/** Returns the options as chosen in the form. */
export function chosenRules() {
  const fields = byId('rules-fields').querySelectorAll('input, select');
  return Object.fromEntries([...fields].map((field) => [field.name, typed(field)]));
}

// Short, quiet sounds of turns, which are off until somebody switches them on.

import { byId } from './dom.js';
import { remember, remembered } from './settings.js';

/** Frequencies in Hz of the notes of a sound, one after the other. */
const NOTES = { turn: [330], capture: [330, 220], end: [392, 523, 659] };
/** Length of a note in seconds, and its loudness of 1. */
const LENGTH = 0.09;
const LOUDNESS = 0.06;

let context = null;

function note(frequency, start) {
  const oscillator = new OscillatorNode(context, { type: 'triangle', frequency });
  const loudness = new GainNode(context, { gain: LOUDNESS });
  loudness.gain.setValueAtTime(LOUDNESS, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
  oscillator.connect(loudness).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + LENGTH);
}

function play(sound) {
  context ??= new AudioContext();
  // A browser lets a page make sounds only after a click or a key.
  if (context.state === 'suspended') context.resume();
  NOTES[sound].forEach((frequency, index) => {
    note(frequency, context.currentTime + 0.8 * LENGTH * index);
  });
}

function pieces({ squares }) {
  return [...squares].filter((kind) => kind !== '.').length;
}

/** Plays a sound for each turn of a session, if sounds are on. */
export function startSounds(session) {
  const box = byId('sounds');
  box.checked = remembered('sounds', 'off') === 'on';
  box.addEventListener('change', () => {
    remember('sounds', box.checked ? 'on' : 'off');
    if (box.checked) play('turn');
  });
  session.addEventListener('turn', ({ detail: { before, after } }) => {
    if (!box.checked) return;
    if (after.outcome) play('end');
    else play(pieces(after) < pieces(before) ? 'capture' : 'turn');
  });
}

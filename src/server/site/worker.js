// Runs the program, apart from the page so that the page stays alive while it searches.
//
// A message has the compiled `module`, the `path` and the `body` of a request, and for a player that
// the worker does not have yet its name as `player` with its `files`, or null for one without a network.
// An answer has a `status` and a `text`; `refused` names a player that cannot play.

const text = new TextEncoder();
let program = null;

function begin(module) {
  const { exports } = new WebAssembly.Instance(module, { page: { now: () => performance.now() } });
  program = exports;
}

/** Puts parts into the input of the program. */
function put(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const place = program.input(length);
  let at = 0;
  for (const part of parts) {
    new Uint8Array(program.memory.buffer, place + at, part.length).set(part);
    at += part.length;
  }
}

function output() {
  const bytes = new Uint8Array(program.memory.buffer, program.output(), program.output_length());
  return new TextDecoder().decode(bytes);
}

/**
 * Offers a player; returns whether it can play. The files are in one: a line that lists their names and
 * lengths, then all of them.
 */
function offer(name, files) {
  if (files) {
    const end = files.indexOf(10);
    let at = end + 1;
    for (const [file, length] of JSON.parse(new TextDecoder().decode(files.subarray(0, end)))) {
      const title = text.encode(file);
      put(title, files.subarray(at, at + length));
      program.file(title.length);
      at += length;
    }
  }
  put(text.encode(name));
  const status = files ? program.player() : program.plain();
  return status === 200;
}

onmessage = ({ data: { module, path, body, player, files } }) => {
  if (!program) begin(module);
  if (player && !offer(player, files)) {
    postMessage({ status: 400, text: JSON.stringify({ error: output() }), refused: player });
    return;
  }
  const address = text.encode(path);
  put(address, text.encode(body === undefined ? '' : JSON.stringify(body)));
  const status = program.answer(address.length);
  postMessage({ status, text: output() });
};

// Players that are loaded and asked, in a browser or in Node.

import { ApiError, Program, unpacked } from './program.js';

export { ApiError as TavoliereError };

/** Simulations of the first update of an analysis, and how many times as many the next one has. */
const [FIRST, GROWTH] = [32, 4];

/** The files of an exported player. One without levels has no file of them. */
const FILES = ['player.json', 'model.safetensors', 'levels.json'];
const OPTIONAL = 'levels.json';

/** Players without a network, which play any game. */
const PLAIN = /^(uct|alphabeta|random)(\?|$)/;

/** The files of a player in one: a line that lists their names and lengths, then all of them. */
async function bundle(files) {
  const names = Object.keys(files);
  const list = JSON.stringify(names.map((name) => [name, files[name].length]));
  const parts = [`${list}\n`, ...names.map((name) => files[name])];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function missing(address) {
  return new ApiError(`there is no file ${address}`, 404);
}

/** Checks the files of a player in one, which begin with the list of their names. */
function checked(bytes, where) {
  if (bytes[0] === '['.charCodeAt()) return bytes;
  const reason = 'take a file of `tavoliere site`, or the folder of `tavoliere export`';
  throw new ApiError(`${where} is no player: ${reason}`, 400);
}

/** A player of one game. Its worker answers one question after the other. */
class Player {
  #program;
  #listing;

  constructor(program, listing, game) {
    this.#program = program;
    this.#listing = listing;
    const { name, rules, title, simulations, thinks, levels } = listing;
    Object.assign(this, { name, title, game, rules, simulations });
    Object.assign(this, { levels: levels ?? [], canAnalyze: thinks });
    Object.freeze(this);
  }

  // A line is its turns from the start, or `{position, moves}`.
  #query(line) {
    const { position, moves } = Array.isArray(line) ? { moves: line } : line;
    return { game: this.game, rules: this.rules ?? {}, position, moves: [...(moves ?? [])] };
  }

  // What is undefined is not sent.
  #ask(path, line, { signal, timeMs, level, ...limits } = {}) {
    const player = level === undefined ? this.name : `${this.name}?level=${level}`;
    const body = { ...this.#query(line), player, time_ms: timeMs, ...limits };
    return this.#program.ask(path, body, signal, this.name);
  }

  position(line = [], { signal } = {}) {
    return this.#program.ask('/api/position', this.#query(line), signal, this.name);
  }

  async legal(line = [], options) {
    const { legal } = await this.position(line, options);
    return legal.map(({ turn }) => turn);
  }

  async analyze(line = [], { onUpdate, ...options } = {}) {
    const ask = (more) => this.#ask('/api/analysis', line, { ...options, ...more });
    const all = options.simulations ?? (options.timeMs === undefined ? this.simulations : null);
    for (let few = FIRST; onUpdate && few < all; few *= GROWTH) {
      const update = await ask({ simulations: few });
      if (update.outcome !== null) break;
      onUpdate(update);
    }
    return ask({});
  }

  async best(line = [], options) {
    const { turn } = await this.#ask('/api/reply', line, options);
    return turn;
  }

  close() {
    this.#program.close();
  }
}

/**
 * Returns the functions of the package. `start()` returns a worker, `read(address)` promises the
 * bytes of a file or null, and `base()` is what addresses are relative to.
 */
export function opened({ start, read, base }) {
  const here = new URL('.', import.meta.url);
  const modules = new Map();

  async function file(address) {
    const bytes = await read(address);
    if (!bytes) throw missing(address);
    return unpacked(bytes);
  }

  /** The compiled program of an address, which all players share. */
  function moduleOf(address) {
    const { href } = address;
    if (!modules.has(href)) {
      const compiled = file(address).then((bytes) => WebAssembly.compile(bytes));
      compiled.catch(() => modules.delete(href));
      modules.set(href, compiled);
    }
    return modules.get(href);
  }

  async function players() {
    const text = new TextDecoder().decode(await file(new URL('players/players.json', here)));
    return JSON.parse(text);
  }

  /** The files of the folder of an exported player. */
  async function folder(address) {
    const found = async (name) => {
      const bytes = await read(new URL(name, address));
      if (!bytes && name !== OPTIONAL) throw missing(new URL(name, address));
      return [name, bytes && (await unpacked(bytes))];
    };
    const files = await Promise.all(FILES.map(found));
    return bundle(Object.fromEntries(files.filter(([, bytes]) => bytes)));
  }

  /** Returns the name of a player, and its files in one; null for one without a network. */
  async function found(source) {
    if (source instanceof ArrayBuffer) return found(new Uint8Array(source));
    if (source instanceof Uint8Array) return ['player', checked(await unpacked(source), 'this')];
    if (typeof source === 'string' && PLAIN.test(source)) return [source, null];
    if (typeof source === 'string' && !/[/:.]/.test(source)) {
      const listing = (await players()).find(({ name }) => name === source);
      if (listing) return [source, await file(new URL(`players/${listing.file}`, here))];
      const names = (await players()).map(({ name }) => name).join(', ');
      throw new ApiError(`there is no player \`${source}\`; the package has ${names}`, 404);
    }
    const isAddress = typeof source === 'string' || source instanceof URL;
    if (!isAddress) return ['player', await bundle(source)];
    const address = new URL(source, base());
    const [last = 'player'] = address.pathname.split('/').filter(Boolean).reverse();
    const name = last.replace(/\.gz$/, '');
    if (address.pathname.endsWith('/')) return [name, await folder(address)];
    return [name, checked(await file(address), address)];
  }

  async function load(source, { game, program, signal } = {}) {
    const address = program ? new URL(program, base()) : new URL('tavoliere.wasm.gz', here);
    const [[name, files], module] = await Promise.all([found(source), moduleOf(address)]);
    signal?.throwIfAborted();
    const asked = new Program(Promise.resolve(module), async () => files, start);
    try {
      const listings = await asked.ask('/api/players', undefined, signal, name);
      const own = listings.find((listing) => !game || (listing.game ?? game) === game);
      const wrong = (reason) => new ApiError(`the player \`${name}\` plays ${reason}`, 400);
      if (!own) throw wrong(`${listings[0].game}, not ${game}`);
      const played = own.game ?? game;
      if (!played) throw wrong('any game: name one as `game`');
      const player = new Player(asked, own, played);
      await player.position([], { signal });
      return player;
    } catch (error) {
      asked.close();
      throw error;
    }
  }

  return { load, players };
}

// Tests the page of `tavoliere serve` in a real browser; see README.md.

import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { enterByToken, passAxe } from './access.mjs';
import { launch } from './browser.mjs';
import { chooseRules, hearTurns, runOutOfTime, stopClocks, turnBoard } from './comfort.mjs';
import {
  askFirst,
  chooseAmongPlayers,
  chooseLevel,
  comeBack,
  endGame,
  ignoreWeakValues,
  playByTwo,
  playForReal,
  reloadGame,
} from './contest.mjs';
import { countInEditor, playAgainFromPosition, setUpOnPhone, setUpPosition } from './editing.mjs';
import { meetBusyServer, outliveServer } from './failing.mjs';
import { askFromElsewhere, enterFolder, liveInFolder } from './hosting.mjs';
import {
  changeTheme,
  fitOnPhone,
  seeBoardOnPhone,
  seeSigns,
  seeTablesOnPhone,
  tellNumbers,
} from './looks.mjs';
import {
  leaveWhileItThinks,
  playComputerGame,
  playByKeyboard,
  playGame,
  playSpecialTurns,
  stepThrough,
} from './playing.mjs';
import {
  keepVariations,
  readMarks,
  retryMistake,
  reviewGame,
  seeReview,
  takeBack,
} from './reviewing.mjs';
import { knowEndings, meetGames, readRules } from './rules.mjs';
import { takePictures } from './screenshots.mjs';
import { startServer } from './server.mjs';
import { goBack, leaveMessage, openBadLink, saveAndOpen, shareLink } from './sharing.mjs';
import {
  checkAnalysis,
  drawNextTurns,
  seeEmphasis,
  seeExactValues,
  stepLine,
} from './thinking.mjs';
import {
  compareRuns,
  missRun,
  overtakeList,
  playTrained,
  seeCards,
  seeChangedConfig,
  seeWorkers,
} from './trained.mjs';
import { compareLongRun, followTraining, readWorth, showLongRun } from './training.mjs';
import { Visitor } from './visitor.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    screenshots: { type: 'string' },
    run: { type: 'string' },
    page: { type: 'string' },
    only: { type: 'string' },
  },
});
const binary = process.env.TAVOLIERE ?? join(HERE, '../../target/release/tavoliere');
const players = (process.env.PLAYERS ?? '').split(/\s+/).filter(Boolean);

/** Returns the checks by name. Each has a page of its own, and may return a text to print. */
function checks(browser, server, runs, complaints) {
  const visit =
    (check, ...rest) =>
    async () => {
      const visitor = await Visitor.enter(browser, server.base, complaints);
      try {
        return await check(visitor, ...rest);
      } finally {
        await visitor.close();
      }
    };
  const game = (name, side, seed) =>
    visit(async (visitor) => {
      const plies = await playGame(visitor, name, side, seed);
      await stepThrough(visitor);
      return `${plies} turns`;
    });
  return {
    'a game of neutron5 by clicks': game('neutron5', 'o', 11),
    'a game of susan by clicks': game('susan', 'x', 12),
    'a game of connect_four by clicks': game('connect_four', 'x', 13),
    'a game of neutron5_hole1 by clicks': game('neutron5_hole1', 'o', 14),
    'captures, short turns, the pie rule': visit(playSpecialTurns),
    'the computer plays both sides': visit(playComputerGame),
    'a late reply': visit(leaveWhileItThinks),
    'a turn by keyboard only': visit(playByKeyboard),
    analysis: visit(async (visitor) => {
      const { first, real } = await checkAnalysis(visitor);
      return real
        ? `first analysis after ${first} ms`
        : 'with a mock player: none served can analyse';
    }),
    'exact values of a solution': visit(seeExactValues),
    'the board stresses the best turn': visit(seeEmphasis),
    'the next turns of a line': visit(drawNextTurns),
    'a line by touch': () => stepLine(browser, server.base, complaints),
    'a game played for real, a hint': visit(playForReal),
    'back from the analysis to the game': visit(comeBack),
    'a game in progress is not lost': visit(askFirst),
    'values of a weak level': visit(ignoreWeakValues),
    'a game that is reloaded': visit(reloadGame),
    'two people play': visit(playByTwo),
    'the result and a rematch': visit(endGame),
    'levels of opponents': visit(chooseLevel),
    'levels of several players': visit(chooseAmongPlayers),
    'the review of a game': visit(reviewGame),
    'the review is in view': () => seeReview(browser, server.base, complaints),
    'marks of mistakes': visit(readMarks),
    'a mistake is tried again': visit(retryMistake),
    variations: visit(keepVariations),
    'turns that are taken back': visit(takeBack),
    'the board lies the right way round': visit(turnBoard),
    'sounds of turns': visit(hearTurns),
    clocks: visit(runOutOfTime),
    'clocks and analysis': visit(stopClocks),
    'options of the rules': visit(chooseRules),
    'a shared link': visit(shareLink, browser),
    'a link with an illegal turn': visit(openBadLink),
    'back to the previous game': visit(goBack),
    'a message and the next page': visit(leaveMessage),
    'saving and opening records': visit(saveAndOpen),
    'setting up a position': visit(setUpPosition, browser),
    'counters of a position': visit(countInEditor),
    'again from a position': visit(playAgainFromPosition),
    'setting up a position on a phone': () => setUpOnPhone(browser, server.base, complaints),
    'training and its games': visit(followTraining, runs),
    'what a network is worth': visit(readWorth, runs),
    'a run of 60,000 iterations': visit(showLongRun, runs),
    'playing what was trained': visit(playTrained, runs, binary),
    'runs in comparison': visit(compareRuns, runs, binary),
    'cards of runs': visit(seeCards, runs, binary),
    'the config of a run': visit(seeChangedConfig),
    'a long run in comparison': visit(compareLongRun, runs),
    'the workers of a run': visit(seeWorkers, runs, binary),
    'a run before the list': visit(overtakeList),
    'a run that is not there': visit(missRun),
    'the games at a first visit': visit(meetGames),
    'the rules': visit(readRules),
    'why a game ended': visit(knowEndings),
    'every game on a phone': async () =>
      `${await fitOnPhone(browser, server.base, complaints)} games`,
    'the board on a phone, both ways': () => seeBoardOnPhone(browser, server.base, complaints),
    'tables on a phone': () => seeTablesOnPhone(browser, server.base, complaints, runs),
    'signs of pieces': visit(seeSigns),
    'numbers of turns': visit(tellNumbers),
    'axe-core': () => passAxe(browser, server.base, complaints),
    'the link with a token': () => enterByToken(browser, server.settings, complaints),
    'in a folder of a proxy': () => liveInFolder(browser, server, runs, complaints),
    'the link with a token, in a folder': () =>
      enterFolder(browser, server.settings, complaints),
    'a page elsewhere': () => askFromElsewhere(browser, server.settings),
    'light and dark': () => changeTheme(browser, server.base, complaints),
    'a busy server': visit(meetBusyServer),
    'a server that is gone': visit(outliveServer, server),
  };
}

/** Starts a server that can be stopped and restarted on the same port. */
async function restartable(settings) {
  const server = { settings };
  server.start = async () => {
    const port = server.base ? new URL(server.base).port : 0;
    const { base, stop } = await startServer({ ...settings, port });
    Object.assign(server, { base, stop });
  };
  await server.start();
  return server;
}

async function runChecks(browser, server, runs) {
  let failed = 0;
  const complaints = [];
  for (const [name, check] of Object.entries(checks(browser, server, runs, complaints))) {
    if (options.only && !name.includes(options.only)) continue;
    const started = Date.now();
    let [verdict, told] = ['ok', ''];
    try {
      told = (await check()) ?? '';
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    } catch (error) {
      [verdict, told] = ['FAILED', error.stack];
      failed += 1;
    }
    complaints.length = 0;
    console.log(`${verdict} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s) ${told}`);
  }
  return failed;
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'tavoliere-browser-'));
  await cp(join(HERE, 'run'), join(folder, 'example'), { recursive: true });
  if (options.run) await cp(options.run, join(folder, basename(options.run)), { recursive: true });
  const solution = join(folder, 'solution');
  execFileSync(binary, ['solve', 'tic_tac_toe', '--out', solution], { stdio: 'ignore' });
  const more = ['--solution', solution];
  const settings = { binary, runs: folder, players, pageFolder: options.page, options: more };
  const server = await restartable(settings);
  const browser = await launch();
  let failed = 0;
  try {
    if (options.screenshots) {
      await mkdir(options.screenshots, { recursive: true });
      await takePictures(
        browser,
        server.base,
        options.screenshots,
        options.run ? basename(options.run) : 'example',
      );
    } else {
      failed = await runChecks(browser, server, folder);
    }
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

await main();

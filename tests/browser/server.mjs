// Starts and stops the server under test.

import { spawn } from 'node:child_process';

/** Starts `binary serve`; resolves to `{base, link, stop}` when it has printed its link. */
export function startServer({ binary, runs, players, port = 0, pageFolder, options: more = [] }) {
  const options = ['serve', '--port', String(port), '--runs', runs, ...more];
  for (const player of players) options.push('--player', player);
  if (pageFolder) options.push('--page', pageFolder);
  const child = spawn(binary, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => {
      said += text;
    });
    child.stdout.on('data', (text) => {
      said += text;
      const [link, base] = said.match(/(http:\/\/[\w.:[\]]+)\/\S*\s/) ?? [];
      if (link) resolve({ base, link: link.trim(), stop: () => stop(child) });
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${binary} ended with status ${code}: ${said}`)));
  });
}

function stop(child) {
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.on('exit', resolve);
    child.kill('SIGINT');
  });
}

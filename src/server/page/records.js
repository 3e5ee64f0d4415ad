// The dialog that opens and saves game records.

import { call } from './api.js';
import { byId } from './dom.js';

function download(text, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function tell(text) {
  byId('record-error').textContent = text;
}

/**
 * Starts the dialog; `open(record)` shows a record, resolves to false if the game before goes on,
 * and throws if it cannot.
 */
export function startRecords(session, open) {
  const dialog = byId('records-dialog');
  byId('records').addEventListener('click', () => {
    tell('');
    dialog.showModal();
  });

  const read = async () => {
    tell('');
    try {
      const record = await call('/api/records/read', { text: byId('record-text').value });
      if (await open(record)) dialog.close();
    } catch (error) {
      const turn = Number.isInteger(error.at) ? `Turn ${error.at + 1}: ` : '';
      tell(turn + error.message);
    }
  };
  byId('record-open').addEventListener('click', read);
  byId('record-file').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    event.target.value = '';
    if (!file) return;
    byId('record-text').value = await file.text();
    await read();
  });

  const save = async ({ currentTarget: { dataset } }) => {
    tell('');
    try {
      const query = {
        ...session.query(session.moves.length),
        tags: session.tags,
        format: dataset.format,
      };
      const { text } = await call('/api/records/write', query);
      download(text, `${session.name}.${dataset.extension}`);
    } catch (error) {
      tell(error.message);
    }
  };
  for (const button of dialog.querySelectorAll('[data-format]'))
    button.addEventListener('click', save);
}

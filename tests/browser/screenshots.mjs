// Screenshots of the page.

import { join } from 'node:path';
import { Visitor } from './visitor.mjs';

const SUSAN = '#/play/susan?turns=e5.f5.d4.e4.g6.d5.c4.f6';
const NEUTRON = '#/play/neutron5?turns=A5-A2.E3,A1-D4';
const DESKTOP = { width: 1280, height: 1000 };
const WIDE = { width: 1680, height: 950 };
const PHONE = { width: 360, height: 740 };

const PICTURES = [
  { name: 'games', hash: '#/games', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'susan', hash: SUSAN, viewport: DESKTOP, colorScheme: 'light' },
  { name: 'susan-dark', hash: SUSAN, viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'neutron', hash: NEUTRON, viewport: DESKTOP, colorScheme: 'light' },
  { name: 'phone', hash: SUSAN, viewport: PHONE, colorScheme: 'light' },
  { name: 'phone-dark', hash: NEUTRON, viewport: PHONE, colorScheme: 'dark' },
  { name: 'wide', hash: NEUTRON, viewport: WIDE, colorScheme: 'light' },
  { name: 'training', hash: '#/training/RUN', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'training-dark', hash: '#/training/RUN', viewport: DESKTOP, colorScheme: 'dark' },
];

/** Writes all screenshots into a folder; those of training show the run `run`. */
export async function takePictures(browser, base, folder, run) {
  for (const { name, hash, viewport, colorScheme } of PICTURES) {
    const visitor = await Visitor.enter(browser, base, [], { viewport, colorScheme });
    await visitor.open(hash.replace('RUN', encodeURIComponent(run)));
    const button = visitor.page.locator('#judge:visible');
    if (await button.count()) await button.click();
    await visitor.page.waitForTimeout(2500);
    await visitor.page.evaluate(() => scrollTo(0, 0));
    await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
    await visitor.close();
  }
}

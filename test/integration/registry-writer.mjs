/**
 * A process that writes into the registry while another one does the same: pushes its own and common contents, sets
 * aliases of its own, and moves a common alias up by one version, so often that every move that got lost would show.
 * Arguments: the name of the model, a name for itself, how often.
 */
import { readFileSync } from 'node:fs';
import { storeSettings } from '../../dist/store/settings.js';
import { withStore } from '../../dist/store/store.js';

const [, , file, name, self, times] = process.argv;
const document = { ...JSON.parse(readFileSync(file, 'utf8')), name };

await withStore(storeSettings(), async ({ models }) => {
  for (let i = 0; i < Number(times); i++) {
    const { version } = await models.push({ ...document, description: `${self} ${i}` });
    await models.push({ ...document, description: `common ${i}` });
    await models.setAlias(name, `${self}-${i}`, String(version.version));
    await moveUp(models);
  }
});

/** By one version, and again until nobody else was in between. */
async function moveUp(models) {
  for (;;) {
    const { version } = await models.resolve(`${name}@turn`);
    try {
      await models.setAlias(name, 'turn', String(version + 1), version);
      return;
    } catch (error) {
      if (error.code !== 'conflict' && error.code !== 'not-known') throw error;
    }
  }
}

// Preloaded into a process with --import. Writes the URL of each module that the process loads to the file LOADED_MODULES.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.LOADED_MODULES ?? '', `${url}\n`);
    return nextLoad(url, context);
  },
});

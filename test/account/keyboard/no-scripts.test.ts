/** The pages that work without scripts, by keyboard alone, in Chromium with scripts disabled. */
import { withoutScripts } from './flows/no-scripts.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(withoutScripts, openWorld);

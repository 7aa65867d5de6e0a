/** Tests the pages that work without scripts, with the keyboard alone, in Chromium with scripts disabled. */
import { withoutScripts } from './flows/no-scripts.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(withoutScripts, openWorld);

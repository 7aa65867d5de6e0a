/** The pages that work without scripts, by keyboard alone, in a real Chromium whose scripts are off. */
import { withoutScripts } from './flows/no-scripts.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(withoutScripts, openWorld);

/** Slow answers, no answers and refusals, by keyboard alone, in a real Chromium against the real server. */
import { inTrouble } from './flows/trouble.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(inTrouble, openWorld);

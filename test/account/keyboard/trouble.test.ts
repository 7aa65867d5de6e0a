/** Tests slow responses, missing responses and errors with the keyboard alone, in Chromium against a real server. */
import { inTrouble } from './flows/trouble.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(inTrouble, openWorld);

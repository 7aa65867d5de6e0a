/** Tests every sign-in method with the keyboard alone, in Chromium against a real server. */
import { guests } from './flows/guests.ts';
import { waysIn } from './flows/sign-in.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks([...waysIn, ...guests], openWorld);

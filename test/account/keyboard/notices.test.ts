/**
 * Tests pages that are opened from emails and other websites, with the keyboard alone, in Chromium against a real
 * server.
 */
import { fromOutside } from './flows/notices.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks(fromOutside, openWorld);

/** Tests the security page and the consent page with the keyboard alone, in Chromium against a real server. */
import { onConsent } from './flows/consent.ts';
import { onTheSecurityPage } from './flows/security.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openWorld } from './world.ts';

inFourLooks([...onTheSecurityPage, ...onConsent], openWorld);

// Runs what scripts/build-server.mjs made of the sources: what "npm start" uses, since it starts in half the time.
import { launch } from './launch.mjs';

await launch('../dist/server/main.mjs');

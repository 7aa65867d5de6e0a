// Runs the bundle that scripts/build-server.mjs builds from the sources. `npm start` uses the bundle because it starts
// in half the time.
import { launch } from './launch.mjs';

await launch('../dist/server/main.mjs');

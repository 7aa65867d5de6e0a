/** Three nodes are started concurrently on an empty server. */
import { atMost, type Line } from '../report.ts';
import { inWorld } from '../world.ts';

export const start: Line = {
  name: 'start',
  title: 'Three nodes are started concurrently on an empty server',
  async run(check) {
    for (const [user, account] of [
      ['admin', 'a superuser'],
      ['app', 'an account without superuser'],
    ] as const)
      await inWorld({ user }, async ({ startSeconds }) =>
        check(atMost(`all nodes are ready, with ${account}`, startSeconds, 120, 's')),
      );
  },
};

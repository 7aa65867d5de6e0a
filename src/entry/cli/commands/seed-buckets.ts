import { type Command, projectOptions } from '../command.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { perform } from '../remote-calls.ts';

export const seedBuckets: Command = {
  name: 'seed buckets',
  about: 'Creates or updates the buckets in [storage.buckets] and uploads the files in objects_path.',
  options: projectOptions,
  examples: [['plinth seed buckets', 'applies changes to config.toml and the files']],
  run: async (input) => {
    await perform(locationOf(input), 'seedBuckets', {}, { needs: 'running', onProgress: say });
    say('Finished seeding buckets.');
    return 0;
  },
};

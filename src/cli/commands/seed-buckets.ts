import { type Command, projectOptions } from '../command.ts';
import { perform } from '../operations.ts';
import { say } from '../output.ts';
import { placeOf } from '../place.ts';

export const seedBuckets: Command = {
  name: 'seed buckets',
  about: 'Makes or updates the buckets of [storage.buckets] and uploads the files of their objects_path.',
  options: projectOptions,
  examples: [['plinth seed buckets', 'after a change of config.toml or of the files']],
  run: async (input) => {
    await perform(placeOf(input), 'seedBuckets', {}, { needs: 'running', onProgress: say });
    say('Finished seeding buckets.');
    return 0;
  },
};

/** Tests the checks of workflows and the release notes, for which no server is needed. */
import { describe, expect, test } from 'vitest';
import { workflowFaults } from '../scripts/lint/workflows/check.ts';
import { repositoryFields } from '../scripts/package/repository-fields.ts';
import { releaseNotes } from '../scripts/release-notes.ts';

describe('workflows', () => {
  const checkout = { uses: 'actions/checkout@v6', with: { 'persist-credentials': false } };

  test('with few permissions and known actions have no faults', () => {
    const job = { 'timeout-minutes': 5, steps: [checkout, { run: 'npm test' }, { uses: './local' }] };
    expect(workflowFaults({ permissions: { contents: 'read' }, jobs: { job } })).toEqual([]);
  });

  test('have a fault for each rule', () => {
    const job = { steps: [{ uses: 'actions/checkout@v6' }, { uses: 'other/action@v1' }] };
    expect(workflowFaults({ jobs: { job } })).toEqual([
      "doesn't declare its permissions",
      'job job has no timeout-minutes',
      'job job keeps the credentials of actions/checkout',
      "job job uses other/action@v1, whose owner isn't allowed",
    ]);
  });
});

test.each<[string, string, string]>([
  ['v0.3.0', '# Changelog\n\n## [Unreleased]\n\n## [0.3.0]\n\n- New.\n\n## [0.2.0]\n\n- Old.\n', '- New.'],
  ['v0.2.0', '## [0.2.0]\n\n- Old.\n', 'The tag is v0.2.0, but package.json contains 0.3.0.'],
  ['v0.3.0', '## [Unreleased]\n\n- New.\n\n## [0.3.0]\n', "CHANGELOG.md doesn't describe v0.3.0."],
])('the release notes of %s are the section of the changelog', (tag, changelog, expected) => {
  const notes = () => {
    try {
      return releaseNotes(tag, { versions: ['0.3.0', '0.3.0'], changelog });
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(notes()).toBe(expected);
});

test('the package’s links are derived from the URL of the repository', () => {
  const url = 'https://git.example/team/plinth';
  const fields = {
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
  };
  expect(repositoryFields(`git+${url}.git`)).toEqual(fields);
  expect(repositoryFields({ url })).toEqual(fields);
  expect(repositoryFields(undefined)).toEqual({});
});

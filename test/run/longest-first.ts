import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readTimes } from './file-times.ts';

/** Workers are reused only if the next file belongs to the same project, so files are grouped by project. */
const projects = ['apart', 'mocked', 'shared', 'unit'];

/** Orders files by their last known duration, longest first. Files without a known duration come first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const timeOf = readTimes();
    const time = ({ moduleId }: TestSpecification) => timeOf(moduleId) ?? Number.POSITIVE_INFINITY;
    const rank = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return files.toSorted((left, right) => rank(left) - rank(right) || compare(time(right), time(left)));
  }
}

const compare = (left: number, right: number): number => (left === right ? 0 : left - right);

/**
 * Limits the work for rendering a template, because rendering blocks the server's only thread. Operators write the
 * templates, and the values in them come from users.
 */
import { TemplateError } from './parse.ts';

const maxSteps = 20_000;
const maxVariables = 100;
/** The maximum length of the result and of each value. */
const maxChars = 500_000;
/** The number of characters in a value that count as one step. */
const charsPerStep = 256;
/** A list or map counts as this many steps, because a template can print it with all its contents. */
const stepsPerObject = 20;

export interface Budget {
  /** Counts a node, an iteration or a value. @throws {TemplateError} */
  spend(value?: unknown): void;
  /** Checks the length of the result. @throws {TemplateError} */
  checkLength(length: number): void;
  /** Checks the number of variables, because each block copies all variables. @throws {TemplateError} */
  checkVariables(count: number): void;
}

export function createBudget(): Budget {
  let steps = 0;
  const check = (isWithin: boolean): void => {
    if (!isWithin) throw new TemplateError('the template is too complex');
  };
  return {
    spend(value) {
      steps += 1;
      if (typeof value === 'string') {
        check(value.length <= maxChars);
        steps += Math.floor(value.length / charsPerStep);
      } else if (typeof value === 'object' && value !== null) steps += stepsPerObject;
      check(steps <= maxSteps);
    },
    checkLength: (length) => check(length <= maxChars),
    checkVariables: (count) => check(count <= maxVariables),
  };
}

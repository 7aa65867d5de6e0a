/** Lists, at the end of a run, the tests that passed only when they were repeated. */
import type { Reporter, TestModule } from 'vitest/node';

export class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky === true),
    );
    if (flaky.length === 0) return;
    console.log('Passed only when run again, so these tests need attention:');
    for (const test of flaky) {
      console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`);
      for (const { message } of test.result().errors ?? []) console.log(`    ${message}`);
    }
  }
}

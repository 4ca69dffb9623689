/** Prints the counts of jest's own result as the last line, which .ci/run adds up. */
export default class CountsReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results;
    const skipped = numPendingTests + numTodoTests;
    if (skipped > 0) console.log(`${skipped} skipped`);
    console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
  }
}

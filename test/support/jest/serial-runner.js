/** Runs test files one after the other: for promises of time, which need the machine alone. */
import TestRunner from 'jest-runner';

export default class SerialRunner extends TestRunner {
  isSerial = true;
}

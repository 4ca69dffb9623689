/** Messages between the test's worker and the hostile module. */

/** File descriptor of a folder that the worker inherits. */
export const INHERITED = 200;

export interface Targets {
  /** Pid of the worker. */
  pid: number;
  /** A string in the worker's environment and in every hidden file. */
  secret: string;
  /** Files with the secret: next to the code, in a data folder, in the temporary folder. */
  hiddenFiles: readonly string[];
  /** Paths of a code folder, as seen by the worker and by an isolated child. */
  codeFolders: readonly string[];
  /** Path of the program of system-call.ts. */
  systemCall: string;
  /** The worker's servers on 127.0.0.1, and its other sockets. */
  tcpPort: number;
  udpPort: number;
  socketPath: string;
  /** Begins with U+0000. */
  abstractSocket: string;
  inherited: typeof INHERITED;
  /** Whether the child is isolated, so that destructive attacks can only damage the child. */
  isIsolated: boolean;
}

/** By attack: true if it succeeded, otherwise the reason of the failure. */
export type Outcomes = Readonly<Record<string, true | string>>;

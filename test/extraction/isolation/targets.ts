/** What the worker in the tests' place hands to the hostile module, and gets back. */

/** The descriptor at which whoever started the worker left a folder open. */
export const INHERITED = 200;

export interface Targets {
  /** Of the worker. */
  pid: number;
  /** What stands in the worker's environment and in every file that is to stay hidden. */
  secret: string;
  /** Files that hold the secret: beside the code, in a data folder, in the folder for temporary files. */
  hiddenFiles: readonly string[];
  /** A folder of the code, as the worker and as an isolated child see it. */
  codeFolders: readonly string[];
  /** In that folder: system-call.ts. */
  systemCall: string;
  /** Servers of the worker on 127.0.0.1, and where its other sockets are. */
  tcpPort: number;
  udpPort: number;
  socketPath: string;
  /** Begins with U+0000. */
  abstractSocket: string;
  inherited: typeof INHERITED;
  /** Whether nothing but the child would be hurt by attacks on whatever there is. */
  isIsolated: boolean;
}

/** For each attack: true where it succeeded, else why it did not. */
export type Outcomes = Readonly<Record<string, true | string>>;

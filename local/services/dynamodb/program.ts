/** How the program of an engine is started. */
export type DatabaseProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** What is to be done once it answers. */
  ready?(): void;
};

import type { ServerCommand } from '../server/process';

/** The oldest Python that runs the server. */
export const OLDEST = [3, 11] as const;

/** What can be found out about the machine. Programs are absolute paths. */
export interface Machine {
  /** The first line that a program prints, undefined when it cannot be run or fails. */
  ask(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Where a program is on PATH. */
  which(name: string): string | undefined;
  exists(path: string): boolean;
}

/** Where the server may be, in the order of `findServer`. Empty means: not given. */
export interface Places {
  readonly command: readonly string[];
  readonly interpreter: string;
  /** The interpreter of the Python extension; none in a workspace that is not trusted. */
  readonly suggestedInterpreter: string;
  /** The program in the environment that this extension makes. */
  readonly managed: string;
}

/** Find the server; undefined where an environment has to be made first. */
export async function findServer(
  places: Places,
  machine: Machine,
): Promise<ServerCommand | undefined> {
  const [program, ...args] = places.command;
  if (program !== undefined) {
    return { program, args, origin: 'setting perdure.server.command' };
  }
  for (const [interpreter, origin] of interpretersOf(places)) {
    if ((await machine.ask(interpreter, ['-P', '-c', 'import perdure'])) !== undefined) {
      return { program: interpreter, args: ['-P', '-m', 'perdure', 'serve'], origin };
    }
  }
  if (machine.exists(places.managed)) {
    return { program: places.managed, args: ['serve'], origin: 'environment of the extension' };
  }
  const onPath = machine.which('perdure');
  return onPath === undefined
    ? undefined
    : { program: onPath, args: ['serve'], origin: 'found on PATH' };
}

/** Find a Python that can run the server, to base an environment on. */
export async function findPython(places: Places, machine: Machine): Promise<string | undefined> {
  const onPath = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
  const candidates = [
    ...interpretersOf(places).map(([interpreter]) => interpreter),
    ...onPath.map((name) => machine.which(name)).filter((found) => found !== undefined),
  ];
  for (const candidate of candidates) {
    const version = await machine.ask(candidate, [
      '-c',
      'import sys; print("%d.%d" % sys.version_info[:2])',
    ]);
    if (version !== undefined && isNewEnough(version)) {
      return candidate;
    }
  }
  return undefined;
}

/** Whether a version such as "3.12" is one that runs the server. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.trim().split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function interpretersOf(places: Places): [string, string][] {
  const both: [string, string][] = [
    [places.interpreter, 'setting perdure.interpreter'],
    [places.suggestedInterpreter, 'interpreter of the Python extension'],
  ];
  return both.filter(([interpreter]) => interpreter !== '');
}

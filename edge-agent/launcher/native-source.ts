import children from './native/children.c' with { type: 'text' };
import host from './native/host.c' with { type: 'text' };
import houses from './native/houses.c' with { type: 'text' };
import launcher from './native/launcher.c' with { type: 'text' };
import memory from './native/memory.c' with { type: 'text' };
import output from './native/output.c' with { type: 'text' };
import spawn from './native/spawn.c' with { type: 'text' };
import system from './native/system.c' with { type: 'text' };

/** The launcher's program, in the order in which its parts need each other. */
export const nativeSource = [system, memory, output, host, children, spawn, houses, launcher].join(
  '\n',
);

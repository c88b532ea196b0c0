/**
 * Loaded before a program that must not outlive the one that started it (`node --import`). The
 * starter keeps the other end of the pipe whose number is in EDGEWISE_LIFELINE; the operating
 * system closes it even after `kill -9`, and then this program gets the signal of an orderly stop,
 * and shortly after that the other one.
 */
import { Socket } from 'node:net';

const stopGraceMs = 8_000;
const fd = Number(process.env.EDGEWISE_LIFELINE);
delete process.env.EDGEWISE_LIFELINE;

if (Number.isInteger(fd) && fd > 2) {
  const line = new Socket({ fd, readable: true, writable: false });
  const end = () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopGraceMs).unref();
  };
  line.on('error', () => undefined);
  line.on('close', end);
  line.resume();
  line.unref();
}

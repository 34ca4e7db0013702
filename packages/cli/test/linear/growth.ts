/**
 * How the time of a function grows with its text.
 *
 * A text of 65,536 characters takes a linear function a few milliseconds, and one that is quadratic half a second at the
 * least. Where it takes longer than the first, the time is compared with that for a sixteenth of the text. It is the time
 * of the thread, not that of a clock. On a machine with other things to do a measurement is only ever too long, so a
 * growth counts where it is found again and again.
 */

const size = 65_536

/** How much shorter the other text is. */
const factor = 16

/** A linear function takes 16 times as long, a quadratic one 256 times. Collections and caches make some of the first 30. */
const most = 72

/** Microseconds that say that nothing is quadratic. */
const quick = 50_000

/** Measurements that may be spoiled by others. So long ones are hardly spoiled. */
const attempts = 5
const long = 2_000_000

/** The growth of the time, as a factor, where it is more than linear. `make` gives what takes a text of this size. */
export const growth = (make: (size: number) => () => unknown): number | undefined => {
  const whole = make(size)
  let least = timeOf(whole)
  if (least <= quick) return undefined
  const part = make(size / factor)
  let usual = timeOf(part)
  for (let attempt = 0; attempt < attempts && least > quick && least > usual * most; attempt++) {
    usual = Math.max(usual, timeOf(part))
    least = Math.min(least, timeOf(whole))
    if (least > long) break
  }
  return least > quick && least > usual * most ? least / usual : undefined
}

/** Microseconds of the processor that this thread takes. */
const timeOf = (run: () => unknown): number => {
  const start = process.threadCpuUsage()
  run()
  const { system, user } = process.threadCpuUsage(start)
  return Math.max(1, system + user)
}

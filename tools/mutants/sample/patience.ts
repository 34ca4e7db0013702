/** How long a test may take: Stryker's first run has to pass on a busy machine, a mutant that hangs must not wait as long. */
import { inject, vi } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** What Stryker's runner says of the run. */
    readonly mode: "dry-run" | "mutant"
  }
}

const timeout = inject("mode") === "mutant" ? 5_000 : 240_000
vi.setConfig({ testTimeout: timeout, hookTimeout: timeout })

/**
 * The progress of a call that becomes a task. In the core generation its token outlives the response of the call; what a
 * server says by it counts, and otherwise the status messages of the task do.
 */
import type { Progress } from "../../../client/ClientOptions.ts"
import type { Task } from "../../../payload/Tasks.ts"
import { isObject } from "../../Json.ts"
import { reading } from "../calls/Sender.ts"
import type { Notices } from "../changes/Notices.ts"

/** @internal */
export class TaskProgress {
  /** The token that asks for progress. */
  readonly token = `task-${crypto.randomUUID()}`
  readonly #onProgress: (progress: Progress) => void
  /** Ends the hearing. */
  readonly end: () => void
  #messages = 0
  #message: string | undefined
  #hasOwn = false

  constructor(notices: Notices, onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress
    const read = reading(onProgress)
    this.end = notices.on("notifications/progress", (params) => {
      if (!isObject(params) || params["progressToken"] !== this.token) return
      this.#hasOwn = true
      read(params)
    })
  }

  /** Gives the status message of a state, where it is another one. */
  hear({ statusMessage: message }: Task): void {
    if (this.#hasOwn || message === undefined || message === this.#message) return
    this.#message = message
    this.#onProgress({ progress: ++this.#messages, message })
  }
}

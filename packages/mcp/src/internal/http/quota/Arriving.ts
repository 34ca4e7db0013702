/** An admitted request that counts on the quota of its address until its body is there, or it ends. */
import type { Admission, Refusal } from "@parley/http/RequestRules"
import type { Party } from "./Parties.ts"

/** @internal */
export class Arriving implements Admission {
  readonly #admission: Admission
  #party: Party | undefined

  constructor(admission: Admission, party: Party) {
    this.#admission = admission
    this.#party = party
  }

  push(chunk: Uint8Array): Refusal | undefined {
    return this.#admission.push(chunk)
  }

  text(): string | Refusal {
    this.#arrived()
    return this.#admission.text()
  }

  get budget() {
    return this.#admission.budget
  }

  toStream(): Refusal | undefined {
    return this.#admission.toStream()
  }

  hold(bytes: number, end: () => void) {
    this.#admission.hold(bytes, end)
  }

  release() {
    this.#arrived()
    this.#admission.release()
  }

  #arrived() {
    this.#party?.give("arriving")
    this.#party = undefined
  }
}

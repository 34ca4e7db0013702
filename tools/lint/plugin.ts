/**
 * The rules that oxlint does not have, as an oxlint plugin named `parley`.
 * `tools/test/lint.test.ts` proves that each of them fires.
 */
import { castWithReason } from "./castWithReason.ts"
import { escapedLog } from "./escapedLog.ts"
import { linearPattern } from "./linearPattern.ts"
import { noWeakTest } from "./noWeakTest.ts"

export default {
  meta: { name: "parley" },
  rules: {
    "cast-with-reason": castWithReason,
    "escaped-log": escapedLog,
    "linear-pattern": linearPattern,
    "no-weak-test": noWeakTest
  }
}

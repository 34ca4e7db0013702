/** Every client over every pair of wires and eras. */
import "./official.test.ts"

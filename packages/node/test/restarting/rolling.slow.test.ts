/** All seeds, with a process for each server. */
import "./rolling.test.ts"

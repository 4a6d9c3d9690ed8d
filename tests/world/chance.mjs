// SPDX-License-Identifier: MIT
//
// Chance that can be repeated: the same seed gives the same numbers.
export class Chance {
    constructor(seed) { this.state = BigInt.asUintN(64, BigInt(seed) * 0x9e3779b97f4a7c15n + 1n); }

    next() { // xorshift64*
        this.state ^= this.state >> 12n;
        this.state = BigInt.asUintN(64, this.state ^ (this.state << 25n));
        this.state ^= this.state >> 27n;
        return BigInt.asUintN(64, this.state * 2685821657736338717n) >> 11n;
    }

    below(limit) { return Number(this.next() % BigInt(limit)); }
    of(percent) { return this.below(100) < percent; }
    pick(list) { return list[this.below(list.length)]; }

    // One of the rows [weight, ...], as often as its weight says.
    weighted(rows) {
        let left = this.below(rows.reduce((sum, row) => sum + row[0], 0));
        return rows.find(row => (left -= row[0]) < 0);
    }
}

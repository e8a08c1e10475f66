import ImageTesting

/// Rules about entries that come, are used and go.
extension EvictionOrderContract {
    static var events: [ContractRule<Subject>] {
        let bodies: [(String, @Sendable (inout EvictionFixture) throws -> Void)] = [
            ("there is no victim if there are no entries", hasNoVictim),
            ("there is a victim as long as there are entries, and each entry is evicted once", evictsEach),
            ("a removed entry is never evicted", forgetsRemoved),
            ("an entry at a slot that was used before is a new entry", reusesSlots),
            ("a policy whose entries are all gone accepts new ones", isFilledAgain),
            ("entries of any cost are evicted, from zero to the largest number", takesAnyCost),
            ("the victim is an entry after any sequence of events", survivesAnyEvents),
        ]
        return bodies.map { name, body in
            ContractRule(name) { policy in
                var fixture = EvictionFixture(policy)
                try body(&fixture)
            }
        }
    }

    private static func hasNoVictim(_ fixture: inout EvictionFixture) throws {
        try fixture.expectNoVictim()
        fixture.insert(count: 3)
        for _ in 0..<3 { try fixture.evict() }
        try fixture.expectNoVictim()
        fixture.insert(count: 3)
        for slot in fixture.slots { fixture.remove(slot) }
        try fixture.expectNoVictim()
    }

    private static func evictsEach(_ fixture: inout EvictionFixture) throws {
        for count in [1, 2, 3, 10, 100] {
            for uses in [0, 1, 2, 20] {
                fixture.insert(count: count)
                for _ in 0..<uses { for slot in fixture.slots { fixture.use(slot) } }
                try fixture.evictAll()
            }
        }
    }

    private static func forgetsRemoved(_ fixture: inout EvictionFixture) throws {
        for first in 0..<3 {
            fixture.insert(count: 20)
            for slot in fixture.slots.prefix(10) { fixture.use(slot) }
            for index in stride(from: first, to: 20, by: 3).reversed() { fixture.remove(fixture.slots[index]) }
            try fixture.evict()
            if let newest = fixture.slots.last { fixture.remove(newest) }
            try fixture.evictAll()
        }
    }

    private static func reusesSlots(_ fixture: inout EvictionFixture) throws {
        fixture.insert(count: 10)
        for index in [0, 5, 9] {
            let slot = fixture.slots[index]
            for _ in 0..<5 { fixture.use(slot) }
            fixture.remove(slot)
            let reused = fixture.insert()
            try expect(reused == slot, "the rule uses slot \(reused), not \(slot)")
        }
        try fixture.evictAll()
    }

    private static func isFilledAgain(_ fixture: inout EvictionFixture) throws {
        for _ in 0..<5 {
            fixture.insert(count: 10)
            try fixture.evictAll()
        }
    }

    /// The sum of the costs fits an `Int`, because it can't exceed the limit of a cache.
    private static func takesAnyCost(_ fixture: inout EvictionFixture) throws {
        for costs in [[0, 0, 0], [.max], [0, .max, 0], [.max / 2, .max / 2], [1, .max / 1000, 0, .max / 2]] {
            for cost in costs { fixture.insert(cost: cost) }
            for slot in fixture.slots { fixture.use(slot) }
            try fixture.evictAll()
        }
    }

    private static func survivesAnyEvents(_ fixture: inout EvictionFixture) throws {
        var random = SeededRandom(seed: 7)
        for step in 0..<5_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: fixture.insert(cost: step % 50)
            case 3..<7: if let slot = fixture.slots.randomElement(using: &random) { fixture.use(slot) }
            case 7: if let slot = fixture.slots.randomElement(using: &random) { fixture.remove(slot) }
            default: if !fixture.slots.isEmpty { try fixture.evict() }
            }
        }
        try fixture.evictAll()
    }
}

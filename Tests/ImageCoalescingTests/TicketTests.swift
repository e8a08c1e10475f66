import ImageCore
import Testing

@testable import ImageCoalescing

@Suite("Tickets, and joins while work ends")
struct TicketTests {
    @Test("an index is used again when its ticket was given back, the ticket never")
    func roll() {
        var roll = TicketRoll<JoinTicket>()
        let first = roll.take()
        let second = roll.take()
        #expect(first.index != second.index)
        roll.giveBack(first)
        let third = roll.take()
        #expect(third.index == first.index && third != first)
    }

    @Test("what is kept for a ticket is not found with an older one of the same index")
    func table() {
        let (old, new) = (JoinTicket(index: 3, generation: 0), JoinTicket(index: 3, generation: 1))
        var table = TicketTable<JoinTicket, String>()
        table[old] = "old"
        table[new] = "new"
        #expect(table[old] == nil && table[new] == "new" && table.count == 1)
        #expect(table.remove(old) == nil)
        #expect(table.remove(new) == "new")
        #expect(table.remove(new) == nil && table.isEmpty)
    }

    @Test("who was answered and is cancelled late takes nobody else's place")
    func lateCancel() {
        var (state, roll) = (CoalescerState(), TicketRoll<JoinTicket>())
        let early = roll.take()
        let first = state.began(early, priority: .normal)
        #expect(state.finished(first).all == [early])
        roll.giveBack(early)
        let late = roll.take()
        let second = state.began(late, priority: .normal)
        #expect(state.left(early) == nil)
        #expect(state.finished(second).all == [late])
        #expect(state.isEmpty)
    }

    @Test(
        "who comes while abandoned work winds down has work of its own, and is answered once, whichever ends first",
        arguments: [true, false])
    func windDown(oldEndsFirst: Bool) {
        var (state, roll) = (CoalescerState(), TicketRoll<JoinTicket>())
        let (leaver, comer) = (roll.take(), roll.take())
        let old = state.began(leaver, priority: .high)
        let left = state.left(leaver)
        #expect(left == CoalescerState.Leaving(job: old, isLast: true))
        #expect(state.isAbandoned(old) && state.isUnderWay(old))
        let new = state.began(comer, priority: .low)
        #expect(new != old)
        let ends = oldEndsFirst ? [old, new] : [new, old]
        let answers = ends.map { state.finished($0).all }
        #expect(answers == (oldEndsFirst ? [[], [comer]] : [[comer], []]))
        #expect(state.isEmpty)
    }
}

import Dispatch
public import ImageCore
import Synchronization

/// Keeps finished pictures within a byte budget, and has each made once however many threads ask for it at a time.
///
/// Callers block while a picture is made: this is for threads, never for the cooperative pool.
public final class PictureShelf: Sendable {
    public typealias Make = @Sendable (PictureRecipe) throws(EncodingFailure) -> Picture

    fileprivate struct Entry {
        var picture: Picture
        var lastUse: UInt64
    }

    fileprivate struct State {
        var entries: [PictureRecipe: Entry] = [:]
        var commissions: [PictureRecipe: Commission] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let byteLimit: Int
    private let easels: DispatchSemaphore
    private let make: Make
    /// Called when someone begins to wait for a picture that another thread makes.
    private let onWait: @Sendable () -> Void

    /// - Parameters:
    ///   - byteLimit: pictures above it are made but not kept.
    ///   - concurrency: how many pictures are made at a time.
    public convenience init(byteLimit: Int, concurrency: Int, make: @escaping Make) {
        self.init(byteLimit: byteLimit, concurrency: concurrency, onWait: {}, make: make)
    }

    init(byteLimit: Int, concurrency: Int, onWait: @escaping @Sendable () -> Void, make: @escaping Make) {
        self.onWait = onWait
        self.byteLimit = byteLimit
        self.make = make
        easels = DispatchSemaphore(value: concurrency)
    }

    /// Bytes of the pictures that are kept.
    public var byteCount: Int { state.withLock { $0.bytes } }

    public func picture(_ recipe: PictureRecipe) throws(EncodingFailure) -> Picture {
        switch state.withLock({ $0.lookUp(recipe) }) {
        case .kept(let picture): return picture
        case .comes(let commission):
            onWait()
            return try commission.wait()
        case .make(let commission): return try fulfil(commission, recipe)
        }
    }

    private func fulfil(_ commission: Commission, _ recipe: PictureRecipe) throws(EncodingFailure) -> Picture {
        easels.wait()
        let result: Result<Picture, EncodingFailure>
        do throws(EncodingFailure) { result = .success(try make(recipe)) } catch { result = .failure(error) }
        easels.signal()
        state.withLock { state in
            state.commissions[recipe] = nil
            if case .success(let picture) = result { state.keep(picture, for: recipe, limit: byteLimit) }
        }
        commission.deliver(result)
        return try result.get()
    }
}

extension PictureShelf.State {
    fileprivate enum Answer {
        case kept(Picture)
        case comes(Commission)
        case make(Commission)
    }

    fileprivate mutating func lookUp(_ recipe: PictureRecipe) -> Answer {
        uses += 1
        if let picture = entries[recipe]?.picture {
            entries[recipe]?.lastUse = uses
            return .kept(picture)
        }
        if let commission = commissions[recipe] { return .comes(commission) }
        let commission = Commission()
        commissions[recipe] = commission
        return .make(commission)
    }

    /// Looks through all entries for the oldest: there are hundreds at most, and only drawing a picture comes here.
    fileprivate mutating func keep(_ picture: Picture, for recipe: PictureRecipe, limit: Int) {
        guard picture.bytes.count <= limit else { return }
        entries[recipe] = PictureShelf.Entry(picture: picture, lastUse: uses)
        bytes += picture.bytes.count
        while bytes > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            bytes -= oldest.value.picture.bytes.count
        }
    }
}

/// A picture that one thread makes and others wait for.
private final class Commission: Sendable {
    private let result = Mutex<Result<Picture, EncodingFailure>?>(nil)
    private let done = DispatchGroup()

    init() { done.enter() }

    func deliver(_ made: Result<Picture, EncodingFailure>) {
        result.withLock { $0 = made }
        done.leave()
    }

    func wait() throws(EncodingFailure) -> Picture {
        done.wait()
        guard let made = result.withLock({ $0 }) else { throw .failed(.jpeg, "the picture was never delivered") }
        return try made.get()
    }
}

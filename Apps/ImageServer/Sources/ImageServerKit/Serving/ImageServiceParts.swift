public import ImageCore
public import Instrumentation
import ServiceContextModule
public import Tracing

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The parts of an image service. Replace any of them in tests.
public struct ImageServiceParts: Sendable {
    /// Parses and verifies paths.
    public var parser: CurrentParser
    /// Decide about sources by their URLs.
    public var originRules: OriginRules
    /// Loads originals.
    public var loader: any ImageLoaderProtocol
    /// Returns the freshness of the latest response for a URL.
    public var freshness: @Sendable (URL) -> OriginFreshness?
    /// Called before an original is loaded, with the trace of the request.
    public var prepareOrigin: @Sendable (URL, ServiceContext) -> Void = { _, _ in }
    /// Decodes, processes and encodes.
    public var renderer: ImageRenderer
    /// Decides when renderings start.
    public var scheduler: any WorkScheduler
    /// Stores results.
    public var cache: ResultCache
    /// Lets one of several servers render a result.
    public var lease: any RenderingLease = NoLease()
    /// Bounds the renderings in progress.
    public var gate: AdmissionGate
    /// The bounds of the lifetime of results.
    public var bounds = LifetimeBounds()
    /// The longest time for a request.
    public var timeLimit = Duration.seconds(30)
    /// Measures time.
    public var clock: any Clock<Duration>
    /// Returns the current time.
    public var now: @Sendable () -> Date
    /// Creates a span for each stage.
    public var tracer: any Tracer = NoOpTracer()

    /// Creates the parts. The others have default values.
    public init(
        parser: CurrentParser, originRules: OriginRules, loader: any ImageLoaderProtocol,
        freshness: @escaping @Sendable (URL) -> OriginFreshness?, renderer: ImageRenderer,
        scheduler: any WorkScheduler, cache: ResultCache, gate: AdmissionGate, clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date
    ) {
        (self.parser, self.originRules, self.loader) = (parser, originRules, loader)
        (self.freshness, self.renderer, self.scheduler) = (freshness, renderer, scheduler)
        (self.cache, self.gate, self.clock, self.now) = (cache, gate, clock, now)
    }
}
